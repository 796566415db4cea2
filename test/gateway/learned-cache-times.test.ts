/** How long a provider keeps a prompt is learned from what it reports, and used. */
import { expect, it } from "vitest";
import { createFakeClock } from "../../src/testing/fake-clock.ts";
import { startBoth } from "./gateway-process.ts";
import { post } from "./own-upstream.ts";

const MINUTE = 60_000;
const PROMPT = `Question. ${"Some words about nothing in particular. ".repeat(800)}`;

it.each([
  ["five minutes", 5 * MINUTE],
  ["an hour", 60 * MINUTE],
  ["none", 0],
])("a provider with a cache of %s", { timeout: 120_000 }, async (_, ttlMs) => {
  const clock = createFakeClock(Date.now());
  const { gateway } = await startBoth(
    { window: 200_000, summarizer: "extractive" },
    { window: 400_000, now: clock.now, cache: ttlMs === 0 ? { minTokens: 1e9 } : { ttlMs } },
    { now: clock.now },
  );
  const messages = [{ role: "user", content: PROMPT }];
  for (let n = 0; n < 48; n++) {
    const response = await post(`${gateway.url}/v1/chat/completions`, { model: "gpt-4o", messages });
    const { choices } = (await response.json()) as {
      choices: { message: { role: string; content: string } }[];
    };
    messages.push(choices[0]!.message, { role: "user", content: `And ${n}?` });
    clock.advance(10_000 * 1.6 ** (n % 16));
  }
  const learned = gateway.gateway.requests.cacheMs("fake", "gpt-4o");
  expect(Math.abs(learned! - ttlMs)).toBeLessThanOrEqual(ttlMs * 0.2);
});
