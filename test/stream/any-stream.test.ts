/** Whatever comes, in whatever order and size: the cache stays within its limits and is what the session says. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { BudgetImpossibleError, ConfigError } from "../../src/core/errors.ts";
import type { TokenCounter } from "../../src/core/types.ts";
import { countingCache } from "../../src/stream/caches/counting-cache.ts";
import { createStreamSession } from "../../src/stream/create-stream-session.ts";
import { streamStrategies } from "../../src/stream/settings.ts";
import type { StreamEvent, StreamSession } from "../../src/stream/types.ts";
import { byProof } from "../support/proof.ts";

const words: TokenCounter = { id: "words", count: (text) => text.split(/\s+/).filter(Boolean).length };
const RUNS = byProof({ sample: 60, more: 400, all: 5_000 });

const text = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.nat(40).map((count) => "some words of a turn ".repeat(count)),
  fc.constantFrom("", " ", "Task knowledge: a b c", "word ".repeat(3_000)),
);
const event: fc.Arbitrary<StreamEvent> = fc.oneof(
  fc.record({ type: fc.constant("frames" as const), count: fc.nat(80) }),
  fc.record({
    type: fc.constant("turn" as const),
    role: fc.constantFrom("user" as const, "assistant" as const, "caption" as const, "system" as const),
    text,
  }),
  fc.record({
    type: fc.constant("frames" as const),
    images: fc.array(fc.constant({ source: "https://example.com/frame.png", width: 64, height: 64 }), {
      maxLength: 8,
    }),
  }),
);
const options = fc.record({
  strategy: fc.constantFrom(...streamStrategies),
  window: fc.integer({ min: 300, max: 3_000 }),
  tokensPerFrame: fc.nat(30),
  separator: fc.nat(2),
  summaryCap: fc.integer({ min: 40, max: 300 }),
  tail: fc.integer({ min: 0, max: 300 }),
  keepSeconds: fc.nat(30),
  head: fc.constantFrom({}, { systemPrompt: "You watch and help." }),
  speak: fc.constantFrom(false as const, { cap: 30 }, { cap: 30, everySeconds: 3 }),
});
const replies = fc.infiniteStream(
  fc.option(fc.constantFrom("Go on.", "no no no no no no no no", "A longer answer ".repeat(40), ""), {
    nil: undefined,
  }),
);

test("the cache is never above window − reserve after a push, nor above the window within one", async () => {
  let sessions = 0;
  await fc.assert(
    fc.asyncProperty(
      options,
      fc.array(event, { maxLength: 40 }),
      replies,
      async ({ head, ...rest }, events, answers) => {
        const answer = answers[Symbol.iterator]();
        const cache = countingCache({ counter: words, answer: () => answer.next().value });
        let session: StreamSession;
        try {
          session = createStreamSession({ cache, ...rest, ...head });
        } catch (error) {
          // A window that can't hold its head is refused before anything happens.
          expect(error).toBeInstanceOf(ConfigError);
          return;
        }
        sessions++;
        let highest = 0;
        for (const name of ["feed", "generate"] as const) {
          const original = cache[name] as (...args: unknown[]) => Promise<unknown>;
          Object.assign(cache, {
            [name]: async (...args: unknown[]) => {
              const result = await original(...args);
              highest = Math.max(highest, cache.length);
              return result;
            },
          });
        }
        for (const each of events) {
          try {
            await session.push(each);
          } catch (error) {
            // A system turn as large as the cache can't be dropped and can't be kept.
            expect(error).toBeInstanceOf(BudgetImpossibleError);
            return;
          }
          const { tokens, limit } = session.status();
          expect(tokens).toBeLessThanOrEqual(limit);
          expect(cache.length).toBe(tokens);
          expect(session.contents().reduce((sum, { from, to }) => sum + to - from, 0)).toBe(tokens);
        }
        expect(highest).toBeLessThanOrEqual(rest.window);
        for (const { tokens, action, summary, head: shown } of session.trace) {
          if (action === "keep") expect(tokens.after).toBeLessThanOrEqual(tokens.before);
          if (summary !== undefined) expect(words.count(summary)).toBeLessThanOrEqual(rest.summaryCap);
          if (shown !== undefined && head.systemPrompt !== undefined)
            expect(shown.startsWith(head.systemPrompt)).toBe(true);
        }
      },
    ),
    { numRuns: RUNS },
  );
  expect(sessions).toBeGreaterThan(RUNS / 4);
});
