import { afterEach, beforeEach, expect, it } from "vitest";
import { type FakeProvider, startFakeProvider } from "../../src/testing/fake-provider/index.ts";
import { startGateway, upstreamAt } from "./gateway-process.ts";

let provider: FakeProvider;
let gateway: Awaited<ReturnType<typeof startGateway>>;
beforeEach(async () => {
  provider = await startFakeProvider({
    reply: ({ number }) => `Answer ${number + 1}: the pump needs a new seal, and the valve behind it, too.`,
  });
  gateway = await startGateway({ ...upstreamAt(provider.url), summarizer: "extractive" });
});
afterEach(async () => {
  await gateway.close();
  await provider.close();
});

interface Said {
  readonly role: string;
  readonly content: string;
}
const user = (content: string): Said => ({ role: "user", content });

async function ask(messages: readonly Said[], headers: Readonly<Record<string, string>>): Promise<Said> {
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ model: "gpt-4o", messages }),
  });
  expect(response.status).toBe(200);
  const { choices } = (await response.json()) as { choices: { message: Said }[] };
  const { role, content } = choices[0]!.message;
  return { role, content };
}

async function transcripts(): Promise<string[]> {
  const { conversations } = gateway.gateway.store;
  const { conversations: all } = await conversations.list("default");
  const read = all.map(async ({ id }) => {
    const messages = await conversations.read("default", id);
    return messages.map(({ wire }) => (JSON.parse(wire) as Said).content.split(":")[0]).join(" | ");
  });
  return (await Promise.all(read)).sort();
}

it.each([
  ["unnamed", {}],
  ["named", { "x-precis-session": "mine" }],
])("a client that asked twice and later edits a question keeps both answers (%s)", async (_, headers) => {
  const first = [user("Which pump?")];
  const other = await ask(first, headers);
  const chosen = await ask(first, headers);
  // It goes on with the second answer …
  const second = [...first, chosen, user("And the valve?")];
  const third = [...second, await ask(second, headers), user("Why?")];
  await ask(third, headers);
  // … and then edits the question behind it.
  await ask([...first, chosen, user("And the seal?")], headers);
  expect([other, chosen].map(({ content }) => content.split(":")[0])).toEqual(["Answer 1", "Answer 2"]);
  expect(await transcripts()).toEqual([
    "Which pump? | Answer 1",
    "Which pump? | Answer 2 | And the seal? | Answer 5",
  ]);
  // What was said before the edit is another branch: going on there shows it again.
  await ask([...third, { role: "assistant", content: "Answer 4: because." }, user("So?")], headers);
  expect(await transcripts()).toEqual([
    "Which pump? | Answer 1",
    expect.stringMatching(
      /^Which pump\? \| Answer 2 \| And the valve\? \| Answer 3 \| Why\? \| Answer 4.* \| So\? \| Answer 6$/,
    ),
  ]);
});
