/** What the model recalled on one node was unknown to the next: the answer stood there without the rounds that it came from. */
import { afterEach, beforeAll, expect, it } from "vitest";
import {
  type FakeProvider,
  type FakeReplier,
  startFakeProvider,
} from "../../src/testing/fake-provider/index.ts";
import { sharedPostgres, type TestDatabases } from "../support/postgres.ts";
import { startGateway, upstreamAt } from "./gateway-process.ts";

type Gateway = Awaited<ReturnType<typeof startGateway>>;
type Json = Readonly<Record<string, unknown>>;

let postgres: TestDatabases;
let provider: FakeProvider;
let nodes: Gateway[] = [];
beforeAll(async () => {
  postgres = await sharedPostgres();
});
afterEach(async () => {
  for (const node of nodes) await node.close();
  nodes = [];
  await provider.close();
});

const TOOL = "precis_recall";
const talk = [
  "The staging database is called amber-7741.",
  "I see.",
  ...Array.from(
    { length: 40 },
    (_, n) => `Part ${n}: ${"we looked at this and that once more. ".repeat(12)}`,
  ),
  "What is it called?",
].map((content, n) => ({ role: n % 2 === 0 ? "user" : "assistant", content }));

const recalling: FakeReplier = ({ messages }) =>
  messages.at(-1)!.role === "tool"
    ? { text: "It is amber-7741.", reasoning: "There." }
    : {
        text: "Let me look.",
        reasoning: "Gone.",
        calls: [{ name: TOOL, args: { query: "staging database" } }],
      };

async function start(): Promise<void> {
  provider = await startFakeProvider({ window: 1_000_000, reply: recalling });
  const db = await postgres.database();
  const config = {
    ...upstreamAt(provider.url),
    window: 5_000,
    summarizer: "extractive",
    db,
    tools: ["recall"],
  };
  nodes = [await startGateway(config), await startGateway(config)];
}

async function post(node: number, path: string, body: Json): Promise<Json> {
  const response = await fetch(`${nodes[node]!.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", "anthropic-version": "2023-06-01" },
    body: JSON.stringify(body),
  });
  expect(await response.clone().text()).not.toContain(TOOL);
  expect(response.status).toBe(200);
  return (await response.json()) as Json;
}

/** The second request's view begins with all that the model saw in the first one's last round. */
function expectToGoOn(): void {
  const [, second, third] = provider.requests;
  expect(third!.messages.slice(0, second!.messages.length)).toEqual(second!.messages);
}

it("Messages with signed thinking", async () => {
  await start();
  const more = {
    model: "claude-opus-5",
    // Small enough that no node lowers it: each goes by its own count for that.
    max_tokens: 1_100,
    thinking: { type: "enabled", budget_tokens: 1_024 },
  };
  const { content } = await post(0, "/v1/messages", { ...more, messages: talk });
  provider.setReply("Fine.");
  const next = [...talk, { role: "assistant", content }, { role: "user", content: "Go on." }];
  await post(1, "/v1/messages", { ...more, messages: next });
  expectToGoOn();
  await post(0, "/v1/messages", { ...more, messages: next });
  expect(provider.requests[3]!.raw).toBe(provider.requests[2]!.raw);
});

it("Responses that go on by naming the answer", async () => {
  await start();
  const { id } = await post(0, "/v1/responses", { model: "gpt-5", input: talk });
  provider.setReply("Fine.");
  await post(1, "/v1/responses", { model: "gpt-5", previous_response_id: id, input: "Go on." });
  expectToGoOn();
});

it("Chat Completions after a restart", async () => {
  await start();
  const { choices } = await post(0, "/v1/chat/completions", { model: "gpt-4o", messages: talk });
  provider.setReply("Fine.");
  const [{ message }] = choices as [{ message: { content: string } }];
  const next = [
    ...talk,
    { role: "assistant", content: message.content },
    { role: "user", content: "Go on." },
  ];
  await post(1, "/v1/chat/completions", { model: "gpt-4o", messages: next });
  expectToGoOn();
});

it("a node that served an earlier turn knows what the model recalled on another one since", async () => {
  await start();
  const model = "gpt-4o";
  const said: Json[] = [...talk];
  const ask = async (node: number, question: string): Promise<void> => {
    said.push({ role: "user", content: question });
    const { choices } = await post(node, "/v1/chat/completions", { model, messages: said });
    const [{ message }] = choices as [{ message: { content: string } }];
    said.push({ role: "assistant", content: message.content });
  };
  said.pop();
  await ask(0, "What is it called?");
  await ask(1, "And once more?");
  provider.setReply("Fine.");
  await ask(0, "Go on.");
  const before = provider.requests.at(-2)!;
  expect(before.messages.at(-1)!.role).toBe("tool");
  expect(provider.requests.at(-1)!.messages.slice(0, before.messages.length)).toEqual(before.messages);
});
