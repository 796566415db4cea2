import fc from "fast-check";
import { expect, it } from "vitest";
import type { FakeReplier } from "../../src/testing/fake-provider/index.ts";
import { byProof } from "../support/proof.ts";
import { type StartedGateway, startBoth } from "./gateway-process.ts";

/** What a client does next with one of its chats. */
interface Step {
  readonly chat: number;
  readonly does: "goes on" | "asks once more" | "edits" | "rewrites" | "leaves out" | "fails" | "begins anew";
  readonly named: boolean;
}

interface Said {
  readonly role: string;
  readonly content: string;
}

const steps = fc.array(
  fc.record({
    chat: fc.nat({ max: 2 }),
    does: fc.constantFrom<Step["does"]>(
      "goes on",
      "goes on",
      "asks once more",
      "edits",
      "rewrites",
      "leaves out",
      "fails",
      "begins anew",
    ),
    named: fc.boolean(),
  }),
  { minLength: 4, maxLength: 14 },
);

/** Another answer for each request, or none where the client's words say so. */
const reply: FakeReplier = ({ number, lastUser }) => ({
  text: `Answer ${number} to: ${lastUser}. It is so.`,
});

/** The stored conversations of a server that was asked all of this, and what its clients were told. */
async function played(script: readonly Step[], forgetAt: (index: number) => boolean): Promise<unknown> {
  const { gateway } = await startBoth(
    { summarizer: "extractive" },
    { reply, faults: ({ lastUser }) => (lastUser.includes("(fails)") ? "server-error" : undefined) },
  );
  const chats: Said[][] = [[], [], []];
  const told: string[] = [];
  for (const [index, { chat, does, named }] of script.entries()) {
    if (forgetAt(index)) gateway.gateway.memory.empty();
    const before = chats[chat]!;
    const messages = does === "begins anew" ? [] : [...before];
    const last = messages.at(-1);
    if (does === "asks once more" && last?.role === "assistant") messages.pop();
    else if (does === "edits" && messages.length > 1) messages.splice(-2, 2, user(`Edit ${index}`));
    else {
      if (does === "rewrites" && last)
        messages[messages.length - 1] = { ...last, content: `${last.content} (cut)` };
      if (does === "leaves out" && messages.length > 3) messages.splice(1, 2);
      messages.push(
        user(messages.length === 0 ? "Hello" : `Word ${index}${does === "fails" ? " (fails)" : ""}`),
      );
    }
    const answer = await ask(gateway, messages, named && chat === 0 ? { "x-precis-session": "mine" } : {});
    told.push(answer.status === 200 ? "answered" : "failed");
    chats[chat] =
      answer.status === 200 ? [...messages, { role: "assistant", content: answer.text }] : messages;
  }
  return { told, stored: await storedIn(gateway) };
}

const user = (content: string): Said => ({ role: "user", content });

async function ask(
  { url }: StartedGateway,
  messages: readonly Said[],
  headers: Record<string, string> = {},
  system = "Be kind.",
) {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ model: "gpt-4o", messages: [{ role: "system", content: system }, ...messages] }),
  });
  const json = (await response.json()) as { choices?: readonly { message: { content: string } }[] };
  return {
    status: response.status,
    session: response.headers.get("x-precis-session"),
    text: json.choices?.[0]?.message.content ?? "",
  };
}

/** All messages of all branches, in the order in which they came, without ids and times. */
async function storedIn({ gateway }: StartedGateway): Promise<readonly unknown[]> {
  const stored: unknown[] = [];
  for await (const line of gateway.store.upkeep.exportAll()) {
    const { type, leaf, messages } = JSON.parse(line) as {
      type: string;
      leaf?: number;
      messages?: readonly { hash?: string; wire?: string; parent?: number | null }[];
    };
    if (type === "conversation") stored.push({ leaf, messages: messages?.map(plain) });
  }
  return stored.map((one) => JSON.stringify(one)).sort();
}

const plain = (message: object): object =>
  Object.fromEntries(Object.entries(message).filter(([name]) => name !== "at"));

it("a server that forgets what it remembers at any moment stores the very same", async () => {
  await fc.assert(
    fc.asyncProperty(
      steps,
      fc.array(fc.boolean(), { minLength: 14, maxLength: 14 }),
      async (script, forgets) => {
        const kept = await played(script, () => false);
        expect(await played(script, (index) => forgets[index]!)).toEqual(kept);
        expect(await played(script, () => true)).toEqual(kept);
      },
    ),
    { numRuns: byProof({ sample: 8, more: 40, all: 400 }) },
  );
});

const list = async ({ gateway }: StartedGateway) =>
  (await gateway.store.conversations.list("default")).conversations;

it.each([false, true])(
  "a request that got no answer and comes once more is the same conversation, unless it is another kind of request (forgotten: %s)",
  async (forgets) => {
    const { gateway } = await startBoth(
      { summarizer: "extractive" },
      { reply, faults: ["server-error", "server-error"] },
    );
    const asked = async (system?: string) => {
      if (forgets) gateway.gateway.memory.empty();
      return ask(gateway, [user("What is it?")], {}, system);
    };
    expect((await asked()).status).toBe(500);
    expect((await asked("Write a title.")).status).toBe(500);
    expect(await list(gateway)).toHaveLength(2);
    expect((await asked()).status).toBe(200);
    expect((await asked("Write a title.")).status).toBe(200);
    expect((await list(gateway)).map(({ length }) => length)).toEqual([2, 2]);
    // It was answered: whoever says the same now is somebody else.
    expect((await asked()).status).toBe(200);
    expect(await list(gateway)).toHaveLength(3);
  },
);

it("who says the same while the first one is still being answered is somebody else", async () => {
  const { gateway } = await startBoth(
    { summarizer: "extractive" },
    { reply: ({ number }) => ({ text: `Answer ${number}`, delayMs: 120 }) },
  );
  await Promise.all([ask(gateway, [user("What is it?")]), ask(gateway, [user("What is it?")])]);
  expect((await list(gateway)).map(({ length }) => length)).toEqual([2, 2]);
});

it("of several conversations with the same messages one that ends there is gone on with, and none that was thrown away", async () => {
  const { gateway } = await startBoth({ summarizer: "extractive" }, { reply: "The same." });
  const begun = [user("Hello"), { role: "assistant", content: "The same." }];
  const first = await ask(gateway, [user("Hello")]);
  const second = await ask(gateway, [user("Hello")]);
  expect(second.session).not.toBe(first.session);
  expect((await ask(gateway, [...begun, user("One")])).session).toBe(second.session);
  expect((await ask(gateway, [...begun, user("Two")])).session).toBe(first.session);
  // Both went on: the newest.
  expect((await ask(gateway, [...begun, user("Three")])).session).toBe(first.session);
  for (const { id } of await list(gateway))
    await fetch(`${gateway.url}/api/conversations/${id}`, { method: "DELETE" });
  const after = await ask(gateway, [...begun, user("Four")]);
  expect([first.session, second.session]).not.toContain(after.session);
});
