/** How long a provider keeps a prompt is learned from what it reports, and used. */
import { expect, it } from "vitest";
import { createFakeClock } from "../../src/testing/fake-clock.ts";
import { startBoth } from "./gateway-process.ts";
import { post } from "./own-upstream.ts";

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
