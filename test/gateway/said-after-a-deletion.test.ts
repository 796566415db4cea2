import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { routes } from "../../src/gateway/api.ts";
import { memoryServerStore } from "../../src/stores/server.ts";
import { type FakeProvider, startFakeProvider } from "../../src/testing/fake-provider/index.ts";
import { apiOf } from "./api-support.ts";
import { startGateway, upstreamAt } from "./gateway-process.ts";
import { post } from "./own-upstream.ts";

let provider: FakeProvider;
let nodes: Awaited<ReturnType<typeof startGateway>>[];
let clock = Date.now();
beforeEach(async () => {
  provider = await startFakeProvider({ reply: ({ lastUser }) => `Answer to ${lastUser}` });
  // Two nodes on one store.
  const store = memoryServerStore();
  const parts = { store: { ...store, close: async () => {} }, now: () => clock };
  nodes = [
    await startGateway(upstreamAt(provider.url), parts),
    await startGateway(upstreamAt(provider.url), parts),
  ];
});
afterEach(async () => {
  for (const node of nodes) await node.close();
  await provider.close();
});

const api = apiOf(() => nodes[0]!.url);
const list = async () => (await api.call(routes.conversations)).conversations;

/** A client of Chat Completions, which sends all of its messages. */
function client(headers: Record<string, string>) {
  const messages: object[] = [];
  return async (node: number, content: string): Promise<void> => {
    messages.push({ role: "user", content });
    const response = await post(
      `${nodes[node]!.url}/v1/chat/completions`,
      { model: "gpt-4o", messages },
      headers,
    );
    const { choices } = (await response.json()) as { choices: { message: object }[] };
    messages.push(choices[0]!.message);
  };
}

describe.each([
  ["a conversation without a name", {}],
  ["one that its client names", { "x-precis-session": "mine" }],
  ["one with a session of its program", { "x-session-id": "program" }],
])("what a client says in %s after a person threw it away", (_, headers) => {
  it.each([0, 1])("is kept as a conversation of its own, on node %d", async (node) => {
    const say = client(headers);
    await say(0, "One?");
    await say(node, "Two?");
    const [before] = await list();
    await api.call(routes.deleteConversation, { params: { id: before!.id } });
    // What a node believes of a conversation is asked for again by then.
    clock += 5_000;
    await say(node, "Three?");
    await say(0, "Four?");
    const after = await list();
    expect(after.map(({ messages }) => messages)).toEqual([8]);
    expect(after[0]!.id).not.toBe(before!.id);
    await api.call(routes.undeleteConversation, { params: { id: before!.id } });
    expect((await list()).map(({ messages }) => messages).sort()).toEqual([4, 8]);
  });
});

it("an answer of a conversation that was thrown away can't be gone on from by its name", async () => {
  const respond = async (body: object) =>
    (await (await post(`${nodes[1]!.url}/v1/responses`, { model: "gpt-4o", ...body })).json()) as {
      id: string;
    };
  const { id } = await respond({ input: "The code is 4711." });
  const [conversation] = await list();
  await api.call(routes.deleteConversation, { params: { id: conversation!.id } });
  await respond({ input: "What is it?", previous_response_id: id });
  expect(provider.requests.at(-1)!.raw).not.toContain("4711");
});

it("nothing can be added to it on the page, nor does it come back into lists while it is being answered", async () => {
  const { id } = await api.call(routes.createConversation, { body: { title: "Mine", model: "gpt-4o" } });
  const { seen, stop } = await api.listen();
  provider.setReply({ text: "Late.", delayMs: 300 });
  const answering = api.events(routes.chat, { params: { id }, body: { text: "Hello?" } });
  while (provider.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  await api.call(routes.deleteConversation, { params: { id } });
  const told = seen.length;
  await answering;
  for (const [route, body] of [
    [routes.chat, { text: "And now?" }],
    [routes.appendMessage, { role: "user", text: "And now?" }],
  ] as const)
    expect((await api.raw(route, { params: { id }, body })).status).toBe(404);
  stop();
  expect(seen.slice(told).filter(({ type }) => type === "conversation")).toEqual([]);
});
