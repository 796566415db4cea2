import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { Report } from "../../src/core/types.ts";
import { exactCounter } from "../../src/tokens/exact-counter.ts";
import { createMeasure } from "../../src/tokens/index.ts";
import { loadedModules } from "../support/loaded-modules.ts";

const FIT = fileURLToPath(new URL("../support/fit-short.ts", import.meta.url));
const hello = [{ role: "user", content: "Hello, how are you?" }];
const measure = createMeasure({ counter: await exactCounter("o200k_base") });
const exactly = (text: string) => measure.message({ role: "user", parts: [{ type: "text", text }] });

/** `fit` in a process that has loaded nothing yet. */
function fitFresh(job: object): {
  readonly loaded: boolean;
  readonly report: Report;
  readonly tokensLater?: number;
} {
  const { stdout, files } = loadedModules([FIT, JSON.stringify({ transcript: hello, ...job })]);
  return { ...JSON.parse(stdout), loaded: files.some((file) => /vocabularies|bpeRanks/.test(file)) };
}

test("a short conversation is fitted without a tokenizer, and its report says that it tells bounds", () => {
  const { loaded, report } = fitFresh({ options: { window: 128_000 } });
  expect(loaded).toBe(false);
  // A byte for each character, and what a message takes beside its text.
  expect(report).toMatchObject({ outcome: "pass", tokens: { after: 19 + 4, atMost: true } });
});

test("counts are exact where the budget is near", () => {
  const { loaded, report } = fitFresh({ options: { budget: 60 } });
  expect(loaded).toBe(true);
  expect(report.tokens).toEqual({ transcript: 10, before: 10, after: 10 });
});

test("the room for an answer is exact where it limits the answer", () => {
  const { loaded, report } = fitFresh({ options: { window: 8_000 }, input: { maxAnswer: 8_000 } });
  expect(loaded).toBe(true);
  expect(report.answer).toBe(8_000 - report.budget.safety - 10);
});

test("a compaction that is due by the number of messages is made of exact counts", () => {
  const transcript = Array.from({ length: 12 }, (_, at) => ({
    role: at % 2 ? "assistant" : "user",
    content: `Line ${at} of a chat.`,
  }));
  const { loaded, report } = fitFresh({
    options: { window: 128_000, triggers: { messages: 6 } },
    transcript,
  });
  expect(loaded).toBe(true);
  expect(report.tokens.atMost).toBeUndefined();
});

test("nothing is learnt from a count that was a bound", () => {
  const text = "no ".repeat(1_500);
  const { report, tokensLater } = fitFresh({
    options: { window: 128_000 },
    transcript: [{ role: "user", content: text }],
    // The provider's count and the bound differ by a factor that a tokenizer might have.
    usage: { input: 3_000 },
  });
  expect(report.tokens.atMost).toBe(true);
  expect(tokensLater).toBe(exactly(text));
});
