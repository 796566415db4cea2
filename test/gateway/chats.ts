import { openStore } from "../../src/stores/server.ts";

/** One message of a chat, as a client has it. */
export interface Said {
  readonly role: string;
  readonly content: string;
}

/** Chats with one turn each; those of another `occasion` are others. */
export function beginChats(count: number, occasion = ""): Said[][] {
  return Array.from({ length: count }, (_, n): Said[] => [
    { role: "user", content: `Chat ${n} begins ${occasion}`.trim() },
    { role: "assistant", content: "Go on." },
  ]);
}

/** One more turn; the chat keeps it only if it was answered to the end. False if the answer broke off. */
export async function takeTurn(url: string, chat: Said[], streamed: boolean): Promise<boolean> {
  const question = {
    role: "user",
    content: `Turn ${chat.length}: ${"please say more about it. ".repeat(8)}`,
  };
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "gpt-4o", stream: streamed, messages: [...chat, question] }),
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${response.status} ${text}`);
  if (streamed && !text.includes("data: [DONE]")) return false;
  chat.push(question, { role: "assistant", content: streamed ? contentOf(text) : answerOf(text) });
  return true;
}

function answerOf(text: string): string {
  return (JSON.parse(text) as { choices: { message: Said }[] }).choices[0]!.message.content;
}

function contentOf(text: string): string {
  return text
    .split("\n")
    .filter((line) => line.startsWith("data: {"))
    .map(
      (line) =>
        (JSON.parse(line.slice(6)) as { choices: { delta: { content?: string } }[] }).choices[0]?.delta
          .content ?? "",
    )
    .join("");
}

/** The numbers of the chats of which a message isn't in the store. */
export async function missingChats(db: string, chats: readonly (readonly Said[])[]): Promise<number[]> {
  const store = openStore(db);
  const { conversations } = await store.conversations.list("default", { limit: 500 });
  const transcripts = await Promise.all(
    conversations.map(async ({ id }) =>
      (await store.conversations.read("default", id)).map(({ wire }) => textOf(wire)),
    ),
  );
  await store.close();
  return chats.flatMap((chat, n) => {
    const said = chat.map(({ role, content }) => `${role}: ${content}`);
    // Refused questions may have been stored too: what counts is that one transcript begins with all of it.
    const found = transcripts.some((stored) => said.every((words, index) => stored[index] === words));
    return found ? [] : [n];
  });
}

function textOf(wire: string): string {
  const { role, content } = JSON.parse(wire) as Said;
  return `${role}: ${content}`;
}
