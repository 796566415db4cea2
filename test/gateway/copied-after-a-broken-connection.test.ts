/** A connection to the database that broke while an answer was stored made a second copy of the whole conversation. */
import { afterEach, expect, it } from "vitest";
import { StoreError } from "../../src/core/errors.ts";
import type { ConversationStore } from "../../src/stores/server-store.ts";
import { memoryServerStore } from "../../src/stores/sqlite.ts";
import { type FakeProvider, startFakeProvider } from "../../src/testing/fake-provider/index.ts";
import { startGateway, upstreamAt } from "./gateway-process.ts";

let provider: FakeProvider;
let gateway: Awaited<ReturnType<typeof startGateway>>;
afterEach(async () => {
  await gateway.close();
  await provider.close();
});

interface Block {
  readonly type: string;
}

it.each([
  { name: "as it was given", said: (content: readonly Block[]) => content },
  {
    name: "without its thoughts",
    said: (content: readonly Block[]) => content.filter(({ type }) => type !== "thinking"),
  },
])(
  "a conversation stays one where the store fails for a moment and the answer comes back $name",
  async ({ said }) => {
    provider = await startFakeProvider({
      reply: ({ number }) => ({ reasoning: "I see.", text: `Answer ${number}.` }),
    });
    const store = memoryServerStore();
    let fails = 0;
    const append: ConversationStore["append"] = async (tenant, input) => {
      if (fails-- > 0)
        throw new StoreError({
          operation: "append",
          message: "the connection broke.",
          fix: "Try again.",
          cause: new Error("Connection terminated"),
        });
      return store.conversations.append(tenant, input);
    };
    gateway = await startGateway(upstreamAt(provider.url), {
      store: { ...store, conversations: { ...store.conversations, append } },
    });
    const messages: object[] = [];
    for (let turn = 0; turn < 4; turn++) {
      if (turn === 2) fails = 1;
      messages.push({ role: "user", content: `Question ${turn}.` });
      const response = await fetch(`${gateway.url}/v1/messages`, {
        method: "POST",
        headers: { "content-type": "application/json", "anthropic-version": "2023-06-01" },
        body: JSON.stringify({
          model: "claude-sonnet-4-5",
          max_tokens: 4_000,
          thinking: { type: "enabled", budget_tokens: 1_024 },
          messages,
        }),
      });
      const { content } = (await response.json()) as { readonly content: readonly Block[] };
      messages.push({ role: "assistant", content: said(content) });
    }
    await expect.poll(() => gateway.gateway.spill?.waiting).toBe(0);
    const { conversations } = await store.conversations.list("default");
    expect(conversations.map(({ length }) => length)).toEqual([messages.length]);
  },
);
