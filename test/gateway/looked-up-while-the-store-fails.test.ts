/**
 * While the store failed, the node forgot what a model had looked up with precis's own tools: the next request went out without these
 * rounds, and a provider whose signed thoughts are bound to what stands before them refused it.
 */
import Anthropic from "@anthropic-ai/sdk";
import { afterEach, expect, it } from "vitest";
import { StoreError } from "../../src/core/errors.ts";
import { memoryServerStore } from "../../src/stores/memory/server.ts";
import type { ConversationStore } from "../../src/stores/server-store.ts";
import { type FakeProvider, startFakeProvider } from "../../src/testing/fake-provider/index.ts";
import { startGateway, upstreamAt } from "./gateway-process.ts";

let provider: FakeProvider;
let gateway: Awaited<ReturnType<typeof startGateway>>;
afterEach(async () => {
  await gateway.close();
  await provider.close();
});

const TURNS = 6;

/** A store whose conversations can't be reached while `isDown` says so. */
function shakyStore(isDown: () => boolean) {
  const store = memoryServerStore();
  const conversations = new Proxy(store.conversations, {
    get(target, name: keyof ConversationStore) {
      const method = target[name] as (...args: unknown[]) => unknown;
      return async (...args: unknown[]) => {
        if (isDown())
          throw new StoreError({
            operation: name,
            message: "the database is away.",
            fix: "Wait.",
            cause: new Error("ECONNREFUSED"),
          });
        return method.apply(target, args);
      };
    },
  });
  return { ...store, conversations };
}

it.each([
  { name: "an answer before the trouble, one in it and one after it", down: [1, 2, 3] },
  { name: "all of them in it", down: [0, 1, 2, 3, 4] },
  { name: "one that the store has and the node didn't see again", down: [4] },
])("what was looked up stays in every request: $name", async ({ down }) => {
  let turn = 0;
  const store = shakyStore(() => down.includes(turn));
  provider = await startFakeProvider({
    window: 1_000_000,
    reply: ({ messages }) =>
      messages.at(-1)!.role === "tool"
        ? { reasoning: "There it is.", text: `Found in turn ${turn}.` }
        : { reasoning: "I look it up.", calls: [{ name: "precis_recall", args: { query: `turn ${turn}` } }] },
  });
  const config = { ...upstreamAt(provider.url), window: 100_000, tools: ["recall"] };
  gateway = await startGateway(config, { store });
  const other = await startGateway(config, { store });
  const messages: Anthropic.MessageParam[] = [];
  const ask = async (baseURL: string) => {
    const client = new Anthropic({ baseURL, apiKey: "k", maxRetries: 0 });
    messages.push({ role: "user", content: `Turn ${turn}: look it up.` });
    const { content } = await client.messages.create({
      model: "claude-sonnet-4-5",
      max_tokens: 4_000,
      thinking: { type: "enabled", budget_tokens: 1_024 },
      messages,
    });
    messages.push({ role: "assistant", content });
    const looked = provider.requests.at(-1)!.raw.match(/"name":"precis_recall","input"/g);
    expect([turn, looked?.length]).toEqual([turn, turn + 1]);
  };
  for (; turn < TURNS; turn++) await ask(gateway.url);
  // The store has taken everything by now, so that another node finds it there.
  await expect.poll(() => gateway.gateway.spill?.waiting).toBe(0);
  await ask(gateway.url);
  turn++;
  await ask(other.url);
  await other.close();
  expect(provider.requests.map(({ status }) => status)).toEqual(provider.requests.map(() => 200));
});
