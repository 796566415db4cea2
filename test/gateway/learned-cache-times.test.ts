/** How long a provider keeps a prompt is learned from what it reports, and used. */
import { expect, it, onTestFinished } from "vitest";
import { createFakeClock } from "../../src/testing/fake-clock.ts";
import { startBoth, startGateway, upstreamAt } from "./gateway-process.ts";
import { post, startUpstream } from "./own-upstream.ts";

const MINUTE = 60_000;
const PROMPT = `Question. ${"Some words about nothing in particular. ".repeat(800)}`;

it.each([
  ["five minutes", 5 * MINUTE, "compacted"],
  ["an hour", 60 * MINUTE, "pass"],
  ["none", 0, "pass"],
])("a provider with a cache of %s", { timeout: 120_000 }, async (_, ttlMs, afterTenMinutes) => {
  const clock = createFakeClock(Date.now());
  const { gateway } = await startBoth(
    { window: 200_000, summarizer: "extractive" },
    { window: 400_000, now: clock.now, cache: ttlMs === 0 ? { minTokens: 1e9 } : { ttlMs } },
    { now: clock.now },
  );
  const messages = [{ role: "user", content: PROMPT }];
  const ask = (headers = {}) =>
    post(`${gateway.url}/v1/chat/completions`, { model: "gpt-4o", messages }, headers);
  for (let n = 0; n < 48; n++) {
    const response = await ask();
    const { choices } = (await response.json()) as {
      choices: { message: { role: string; content: string } }[];
    };
    messages.push(choices[0]!.message, { role: "user", content: `And ${n}?` });
    clock.advance(10_000 * 1.6 ** (n % 16));
  }
  const learned = gateway.gateway.requests.cacheMs("fake", "gpt-4o");
  expect(Math.abs(learned! - ttlMs)).toBeLessThanOrEqual(ttlMs * 0.2);
  // A view of this share of the budget is compacted where the cache has gone cold meanwhile, and else not.
  const small = { "x-precis-budget": "18k" };
  await ask();
  await ask(small);
  clock.advance(10 * MINUTE);
  expect((await ask(small)).headers.get("x-precis-action")).toBe(afterTenMinutes);
});

/** A provider that reads of the prompt before this one the share that `cached` says. */
it.each([
  ["a few misses that chance makes", (n: number) => (n % 24 === 5 ? 0 : 1), false],
  ["a client that never asks to be cached", () => 1, true],
])("%s don't make a warm cache cold", { timeout: 120_000 }, async (_, cached, isOther) => {
  const clock = createFakeClock(Date.now());
  let requests = 0;
  let before = 0;
  const provider = await startUpstream((_, body, response) => {
    const isMarked = !body.includes("Other.");
    const input = Math.round(body.length / 4);
    const read = isMarked ? Math.round(before * cached(requests++)) : 0;
    if (isMarked) before = input;
    response.writeHead(200, { "content-type": "application/json" });
    response.end(
      JSON.stringify({
        id: "a",
        choices: [{ index: 0, message: { role: "assistant", content: "Yes." }, finish_reason: "stop" }],
        usage: { prompt_tokens: input, completion_tokens: 2, prompt_tokens_details: { cached_tokens: read } },
      }),
    );
  });
  const gateway = await startGateway(
    { ...upstreamAt(provider.url), window: 200_000, summarizer: "extractive" },
    { now: clock.now },
  );
  onTestFinished(async () => {
    await gateway.close();
    await provider.close();
  });
  const chat = (start: string) => {
    const messages = [{ role: "user", content: start + PROMPT }];
    return async (headers = {}) => {
      const response = await post(
        `${gateway.url}/v1/chat/completions`,
        { model: "gpt-4o", messages },
        headers,
      );
      messages.push({ role: "assistant", content: "Yes." }, { role: "user", content: "And?" });
      return response.headers.get("x-precis-action");
    };
  };
  const [ask, askOther] = [chat(""), chat("Other. ")];
  for (let n = 0; n < 96; n++) {
    await ask();
    if (isOther) await askOther();
    clock.advance(n % 16 === 15 ? 70_000 : 10_000);
  }
  // Below half of the budget a pause alone is no reason.
  const small = { "x-precis-budget": "22k" };
  await ask(small);
  clock.advance(2 * MINUTE);
  expect(await ask(small)).toBe("pass");
  clock.advance(10 * MINUTE);
  expect(await ask(small)).toBe("compacted");
});

it("advice goes by the time that the config sets: each request's row has it", async () => {
  const { gateway } = await startBoth(
    { window: 200_000, summarizer: "extractive", cache: { ttlMs: 60 * MINUTE } },
    { window: 400_000 },
  );
  const messages = [{ role: "user", content: PROMPT }];
  await post(`${gateway.url}/v1/chat/completions`, { model: "gpt-4o", messages });
  await gateway.gateway.requests.flush();
  const [row] = await gateway.gateway.store.requests.list("default", { details: true });
  expect(row?.details).toMatchObject({ cacheMs: 60 * MINUTE });
});
