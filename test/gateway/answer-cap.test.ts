import { afterEach, expect, it } from "vitest";
import { type FakeProvider, startFakeProvider } from "../../src/testing/fake-provider/index.ts";
import { startGateway, upstreamAt } from "./gateway-process.ts";

/** Clients ask for the longest answer that they can think of, and know nothing of the window. */
const WINDOW = 8_000;

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function start(
  options: Parameters<typeof startFakeProvider>[0] = {},
  config: object = {},
): Promise<{ provider: FakeProvider; ask: (path: string, body: object) => Promise<Response> }> {
  const window = options.window ?? WINDOW;
  const provider = await startFakeProvider({ ...options, window });
  closing.push(provider.close);
  const running = await startGateway({
    ...upstreamAt(provider.url),
    window,
    summarizer: "extractive",
    ...config,
  });
  closing.push(running.close);
  const ask = (path: string, body: object) =>
    fetch(`${running.url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", "anthropic-version": "2023-06-01" },
      body: JSON.stringify(body),
    });
  return { provider, ask };
}

const talk = (length: number) =>
  Array.from({ length }, (_, number) => ({
    role: number % 2 === 0 ? "user" : "assistant",
    content: `Message ${number}. ${"Some words about nothing in particular. ".repeat(20)}`,
  }));

it("a short request that asks for an answer of the whole window isn't refused even once", async () => {
  const { provider, ask } = await start();
  const response = await ask("/v1/chat/completions", {
    model: "any-model",
    max_tokens: WINDOW,
    messages: [{ role: "user", content: "A title, please." }],
  });
  expect(response.status).toBe(200);
  expect(provider.requests.map(({ status }) => status)).toEqual([200]);
});

it("a provider that counts more than precis does still has room for the answer", async () => {
  const { provider, ask } = await start({ count: (text) => Math.ceil(text.length / 4) });
  for (let length = 1; length <= 61; length += 4) {
    const response = await ask("/v1/chat/completions", {
      model: "any-model",
      max_tokens: 3 * WINDOW,
      messages: talk(length),
    });
    expect(response.status).toBe(200);
  }
  expect(provider.requests.filter(({ status }) => status !== 200)).toEqual([]);
  expect(provider.requests.some(({ cap }) => cap! < WINDOW / 2)).toBe(true);
});

it("a provider that counts code a little more than precis refuses no cap that just fits by precis's count", async () => {
  const code = (lines: number) =>
    Array.from(
      { length: lines },
      (_, n) => `export const value${n} = compute("src/part-${n}.ts", ${n * 7});`,
    );
  const { provider, ask } = await start({
    count: (text) => Math.ceil(text.length / (text.includes("compute(") ? 2.2 : 5.7)),
  });
  for (let lines = 20; lines <= 220; lines += 4) {
    // From talk precis learns that the provider counts as it does itself.
    for (const messages of [talk(11), [{ role: "user", content: code(lines).join("\n") }]]) {
      const body = { model: "any-model", max_tokens: WINDOW / 2, messages };
      expect((await ask("/v1/chat/completions", body)).status).toBe(200);
    }
  }
  const refused = provider.requests.filter(({ status }) => status !== 200);
  expect(refused.map(({ tokens, cap }) => tokens.input + cap!)).toEqual([]);
});

it("a cap up to what is kept free for answers stays as it is, however full the window", async () => {
  const { provider, ask } = await start();
  for (let length = 1; length <= 61; length += 4)
    await ask("/v1/chat/completions", { model: "any-model", max_tokens: WINDOW / 8, messages: talk(length) });
  expect(new Set(provider.requests.map(({ cap }) => cap))).toEqual(new Set([WINDOW / 8]));
});

it("a larger cap takes nothing from the transcript: it is lowered where the window is full, and never raised", async () => {
  const { provider, ask } = await start();
  for (let length = 1; length <= 61; length += 4) {
    const response = await ask("/v1/chat/completions", {
      model: "any-model",
      max_tokens: WINDOW / 2,
      messages: talk(length),
    });
    expect(response.status).toBe(200);
    expect(Number(response.headers.get("x-precis-pressure") ?? 0)).toBeLessThanOrEqual(1);
  }
  const caps = provider.requests.map(({ cap }) => cap!);
  expect(caps[0]).toBe(WINDOW / 2);
  expect(Math.max(...caps)).toBe(WINDOW / 2);
  expect(Math.min(...caps)).toBeLessThan(WINDOW / 4);
});

it("an upstream that counts far more than precis does is asked again with a lower cap", async () => {
  const { provider, ask } = await start({ count: (text) => Math.ceil(text.length / 3) });
  const response = await ask("/v1/chat/completions", {
    model: "any-model",
    max_tokens: 3 * WINDOW,
    messages: talk(7),
  });
  expect(response.status).toBe(200);
  expect(provider.requests.map(({ status }) => status)).toEqual([400, 200]);
});

it("a window that is only a guess takes nothing from an answer", async () => {
  const { provider, ask } = await start({ window: 200_000 }, { window: undefined });
  for (const [path, more] of [
    ["/v1/chat/completions", { max_completion_tokens: 64_000 }],
    ["/v1/messages", { max_tokens: 64_000, thinking: { type: "enabled", budget_tokens: 31_999 } }],
  ] as const) {
    const asked = { model: "MyModel-9", messages: talk(3), ...more };
    expect((await ask(path, asked)).status).toBe(200);
    expect(provider.requests.at(-1)!.body).toEqual(asked);
  }
});

it("where a guess was too large, the upstream says so once, and the cap fits what it said", async () => {
  const { provider, ask } = await start({}, { window: undefined });
  const asked = { model: "MyModel-9", max_tokens: WINDOW, messages: talk(3) };
  for (let turn = 0; turn < 2; turn++) expect((await ask("/v1/chat/completions", asked)).status).toBe(200);
  expect(provider.requests.map(({ status }) => status)).toEqual([400, 200, 200]);
});

it("the budget for thinking stays below a lowered cap", async () => {
  const { provider, ask } = await start();
  for (let length = 1; length <= 61; length += 4) {
    const response = await ask("/v1/messages", {
      model: "claude-sonnet-4-5",
      max_tokens: 32_000,
      thinking: { type: "enabled", budget_tokens: 31_999 },
      messages: talk(length),
    });
    expect(response.status, await response.text()).toBe(200);
  }
  expect(provider.requests.map(({ error }) => error).filter((error) => error !== undefined)).toEqual([]);
  const { max_tokens: cap, thinking } = provider.requests.at(-1)!.body as {
    max_tokens: number;
    thinking: { budget_tokens: number };
  };
  expect(cap).toBeLessThan(WINDOW);
  expect(thinking.budget_tokens).toBeLessThan(cap);
  expect(thinking.budget_tokens).toBeGreaterThan(cap * 0.9);
});

it("where hardly any answer fits, the model doesn't think", async () => {
  const { provider, ask } = await start({ window: 3_000 }, { reserve: 500 });
  const response = await ask("/v1/messages", {
    model: "claude-sonnet-4-5",
    max_tokens: 32_000,
    thinking: { type: "enabled", budget_tokens: 31_999 },
    messages: talk(13),
  });
  expect(response.status, await response.text()).toBe(200);
  expect(provider.requests.at(-1)!.body["thinking"]).toBeUndefined();
});

it("a tool loop for whose thinking the window has no room any more isn't refused for its thoughts", async () => {
  const { provider, ask } = await start(
    {
      window: 1_000_000,
      reply: ({ number }) => ({
        reasoning: `Thought ${number}.`,
        calls: [{ name: "look", args: { number } }],
      }),
    },
    { window: WINDOW },
  );
  const messages: object[] = [{ role: "user", content: "Look at everything." }];
  for (let round = 0; round < 40; round++) {
    const response = await ask("/v1/messages", {
      model: "claude-sonnet-4-5",
      max_tokens: 2_000,
      thinking: { type: "enabled", budget_tokens: 1_100 },
      tools: [{ name: "look", input_schema: { type: "object" } }],
      messages,
    });
    const { content } = (await response.json()) as { content: { type: string; id: string }[] };
    expect(provider.requests.at(-1)!.error).toBeUndefined();
    const { id } = content.find(({ type }) => type === "tool_use")!;
    const seen = `Round ${round}: ${"nothing in particular was seen there. ".repeat(30)}`;
    messages.push(
      { role: "assistant", content },
      { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: seen }] },
    );
  }
  const thinking = provider.requests.map(({ body }) => body["thinking"] !== undefined);
  expect(new Set(thinking)).toEqual(new Set([true, false]));
});
