import { afterAll, beforeAll, expect, it } from "vitest";
import {
  type FakeProvider,
  startFakeProvider,
  summarizingReply,
} from "../../src/testing/fake-provider/index.ts";
import { sharedPostgres, type TestDatabases } from "../support/postgres.ts";
import { startGateway, upstreamAt } from "./gateway-process.ts";
import { totalsOf } from "./totals-of.ts";

const WINDOW = 5_000;
const NODES = 3;
let postgres: TestDatabases;
let provider: FakeProvider;
let nodes: Awaited<ReturnType<typeof startGateway>>[];

beforeAll(async () => {
  postgres = await sharedPostgres();
  provider = await startFakeProvider({
    window: WINDOW,
    reply: summarizingReply({ otherwise: ({ number }) => `Answer ${number}: ${"yes and no. ".repeat(10)}` }),
  });
  const db = await postgres.database();
  const config = { ...upstreamAt(provider.url), window: WINDOW, db };
  nodes = await Promise.all(Array.from({ length: NODES }, () => startGateway(config)));
});
afterAll(async () => {
  for (const node of nodes) await node.close();
  await provider.close();
});

interface Said {
  readonly role: string;
  readonly content: string;
}

async function ask(
  node: number,
  messages: readonly Said[],
  headers: Readonly<Record<string, string>> = {},
): Promise<{ message: Said; action: string | null; session: string | null }> {
  const response = await fetch(`${nodes[node % NODES]!.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ model: "gpt-4o", messages }),
  });
  expect(response.status).toBe(200);
  const { choices } = (await response.json()) as { choices: { message: Said }[] };
  return {
    message: choices[0]!.message,
    action: response.headers.get("x-precis-action"),
    session: response.headers.get("x-precis-session"),
  };
}

it("any node serves any request of a conversation", async () => {
  const messages: Said[] = [];
  const actions = new Set<string | null>();
  const sessions = new Set<string | null>();
  for (let turn = 0; turn < 60; turn++) {
    messages.push({
      role: "user",
      content: `Turn ${turn}: ${"tell me about the plant and its pumps. ".repeat(8)}`,
    });
    const { message, action, session } = await ask(turn, messages);
    messages.push(message);
    actions.add(action);
    sessions.add(session);
  }
  expect(provider.requests.filter(({ status }) => status !== 200)).toEqual([]);
  expect([...actions].sort()).toEqual(["compacted", "pass", "view"]);
  // A view that one node made is the view of all: most requests find it and make no new one.
  expect((await totalsOf(nodes[0]!.url)).compactions).toBeLessThan(15);
  expect(sessions.size).toBe(1);
  const { conversations } = await nodes[0]!.gateway.store.conversations.list("default");
  expect(conversations).toHaveLength(1);
  expect(conversations[0]!.length).toBe(120);
});

it("no node gives a conversation that was asked for by name to others", async () => {
  const asked = { "x-precis-session": "mine" };
  const messages: Said[] = [
    { role: "user", content: "The same first words" },
    { role: "assistant", content: "Yes?" },
    { role: "user", content: "And the same again" },
  ];
  const own = await ask(0, messages);
  const named = await ask(1, messages, asked);
  expect(named.session).toBe("mine");
  expect(own.session).not.toBe("mine");
  // A node that has seen neither of them, and one that has seen only the other: both hold these words.
  const other = [...messages.slice(0, 2), { role: "user", content: "Another question" }];
  expect((await ask(2, other)).session).toBe(own.session);
  expect((await ask(0, other, asked)).session).toBe("mine");
});

it("any node goes on from any answer that a request only names", async () => {
  const respond = async (node: number, input: string, after?: string) => {
    const response = await fetch(`${nodes[node % NODES]!.url}/v1/responses`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: "gpt-5", input, ...(after && { previous_response_id: after }) }),
    });
    const { id } = (await response.json()) as { id: string };
    const { body, messages } = provider.requests.at(-1)!;
    expect(body["previous_response_id"]).toBeUndefined();
    return {
      id,
      session: response.headers.get("x-precis-session"),
      users: messages.filter(({ role }) => role === "user").map(({ text }) => text),
    };
  };
  const first = await respond(0, "My name is Ada.");
  const second = await respond(1, "Who am I?", first.id);
  const third = await respond(2, "Sure?", second.id);
  const fourth = await respond(0, "Really?", third.id);
  expect(fourth.users).toEqual(["My name is Ada.", "Who am I?", "Sure?", "Really?"]);
  const branch = await respond(2, "And who are you?", first.id);
  expect(branch.users).toEqual(["My name is Ada.", "And who are you?"]);
  expect((await respond(1, "Tell me.", branch.id)).users).toEqual([...branch.users, "Tell me."]);
  expect(new Set([first, second, third, fourth].map(({ session }) => session)).size).toBe(1);
  const { conversations } = nodes[1]!.gateway.store;
  const held = await conversations.findAnswer("default", fourth.id);
  expect(held).toMatchObject({ conversation: { session: first.session, branched: true }, length: 8 });
  const other = await conversations.findAnswer("default", branch.id);
  expect(other).toMatchObject({ conversation: { id: held!.conversation.id }, length: 4 });
});

it("a node may leave and join at any time", async () => {
  const messages: Said[] = [{ role: "user", content: "first words on node 0" }];
  const { message } = await ask(0, messages);
  await nodes[0]!.close();
  messages.push(message, { role: "user", content: "go on" });
  const next = await ask(1, messages);
  messages.push(next.message, { role: "user", content: "and on" });
  nodes[0] = await startGateway({ ...nodes[1]!.gateway.config, port: 0 });
  const back = await ask(0, messages);
  expect(back.session).toBe(next.session);
});
