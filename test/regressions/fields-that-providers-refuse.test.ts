import { afterEach, describe, expect, it } from "vitest";
import type { DialectId, Edit } from "../../src/core/types.ts";
import { createCompactor } from "../../src/index.ts";
import { type FakeProvider, startFakeProvider } from "../../src/testing/fake-provider/index.ts";
import { startGateway, upstreamAt } from "../gateway/gateway-process.ts";
import { DIALECT_IDS, dialectOf } from "../support/dialects.ts";

const long = (n: number) => `Part ${n}: ${"we looked at this and that once more. ".repeat(20)}`;
/** A text as the format says it. */
const says = (id: DialectId, role: "user" | "assistant", text: string): object =>
  id === "gemini-contents"
    ? { role: role === "user" ? "user" : "model", parts: [{ text }] }
    : { role, content: text };
const talk = (id: DialectId, count: number): object[] =>
  Array.from({ length: count }, (_, n) => says(id, n % 2 === 0 ? "user" : "assistant", long(n)));

describe.each(DIALECT_IDS)("%s", (id) => {
  const dialect = dialectOf(id);

  it.each([4_000, 400_000])("precis's own marks never leave (budget %d)", async (budget) => {
    const marked = { ...says(id, "user", "The warranty is 24 months."), precis: { knowledge: true } };
    const transcript = [...talk(id, 10), marked, ...talk(id, 30).slice(1), says(id, "user", "And now?")];
    const compactor = createCompactor({ dialect, budget });
    const { messages, report } = await compactor.fit(transcript);
    expect(report.outcome).toBe(budget === 4_000 ? "compacted" : "pass");
    expect(JSON.stringify(messages)).not.toContain('"precis"');
    expect(messages).toContainEqual(says(id, "user", "The warranty is 24 months."));
    // The host's own message keeps its mark, and all others are the same objects.
    expect(marked).toHaveProperty("precis");
    if (budget === 400_000)
      for (const [at, message] of messages.entries())
        if (transcript[at] !== marked) expect(message).toBe(transcript[at]);
    await compactor.close();
  });

  it("offers an edit that takes away what only an interface needs, and nothing else", () => {
    const strip: Edit[] = [{ type: "strip-fields", why: "interface-only" }];
    const plain = says(id, "user", "Hello.");
    const shown = {
      ...(id === "gemini-contents" ? {} : { parts: [{ type: "text", text: "Hello." }] }),
      ...plain,
      createdAt: 123,
      precis: { pin: true },
    };
    expect(dialect.edit(shown, strip)).toEqual(plain);
    expect(dialect.edit(plain, strip)).toBe(plain);
  });
});

it("ai-sdk: a mark among the provider's options leaves, too", async () => {
  const options = { anthropic: { cacheControl: { type: "ephemeral" } } };
  const transcript = [
    { role: "user", content: "One.", providerOptions: { precis: { pin: true } } },
    { role: "user", content: "Two.", providerOptions: { precis: { pin: true }, ...options } },
  ];
  const { messages } = await createCompactor({ dialect: dialectOf("ai-sdk"), budget: 4_000 }).fit(transcript);
  expect(messages).toEqual([
    { role: "user", content: "One." },
    { role: "user", content: "Two.", providerOptions: options },
  ]);
});

it("what a server adds for itself stays", () => {
  const message = {
    role: "assistant",
    content: "Hello.",
    reasoning_content: "Hm.",
    annotations: [],
    prefix: true,
  };
  const strip: Edit[] = [{ type: "strip-fields", why: "interface-only" }];
  expect(dialectOf("openai-chat").edit(message, strip)).toBe(message);
});

describe("the gateway", () => {
  let provider: FakeProvider;
  let gateway: Awaited<ReturnType<typeof startGateway>>;
  afterEach(async () => {
    await gateway.close();
    await provider.close();
  });

  /** Rounds whose messages have what an interface keeps with them. */
  const rounds = (count: number): object[] => [
    { id: "ui-0", createdAt: 1, role: "user", content: "Read all the files." },
    ...Array.from({ length: count }, (_, n) => [
      {
        id: `ui-${n}a`,
        createdAt: n,
        role: "assistant",
        content: null,
        tool_calls: [{ id: `c${n}`, type: "function", function: { name: "read", arguments: "{}" } }],
      },
      { id: `ui-${n}b`, createdAt: n, role: "tool", tool_call_id: `c${n}`, content: long(n).repeat(4) },
    ]).flat(),
  ];
  const ask = (messages: object[]) =>
    fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: "gpt-4o", messages }),
    });

  it("takes interface fields from messages that it rewrites; what passes is passed byte for byte", async () => {
    provider = await startFakeProvider({ window: 100_000 });
    gateway = await startGateway({ ...upstreamAt(provider.url), window: 16_000, summarizer: "extractive" });
    const few = rounds(2);
    await ask(few);
    expect(provider.requests[0]!.raw).toBe(JSON.stringify({ model: "gpt-4o", messages: few }));
    const many = rounds(24);
    await ask(many);
    const originals = new Set(many.map((message) => JSON.stringify(message)));
    const sent = provider.requests[1]!.body["messages"] as object[];
    const rewritten = sent.filter((message) => !originals.has(JSON.stringify(message)));
    expect(rewritten.length).toBeGreaterThan(0);
    for (const message of rewritten) expect(message).not.toHaveProperty("createdAt");
    for (const message of rewritten) expect(message).not.toHaveProperty("id");
  });
});
