import { expect, test } from "vitest";
import { dialectById } from "../../apis/index.ts";
import type { Dialect } from "../../core/types.ts";
import { createMeasure, exactCounter } from "../../tokens/index.ts";
import { createCachedShare } from "./simulate.ts";

const dialect = dialectById("openai-chat") as Dialect<unknown>;
const measure = createMeasure({ counter: await exactCounter("o200k_base") });
const say = (content: string) => ({ role: "user", content });

test("what only grows at its end is cached; a change at the front costs everything behind it", () => {
  const cachedShare = createCachedShare(dialect, measure);
  const [a, b, c, d] = ["one two three", "four five six", "seven eight nine", "ten"].map(say);
  expect(cachedShare({ system: undefined, messages: [a, b] })).toBe(0);
  const grown = cachedShare({ system: undefined, messages: [a, b, c] });
  expect(grown).toBeCloseTo(2 / 3, 1);
  // The same words in other objects are the same prompt.
  expect(cachedShare({ system: undefined, messages: [{ ...a }, { ...b }, { ...c }] })).toBe(1);
  expect(cachedShare({ system: undefined, messages: [d, b, c] })).toBe(0);
});

test("another system prompt leaves nothing cached", () => {
  const cachedShare = createCachedShare(dialect, measure);
  cachedShare({ system: "Be brief.", messages: [say("hello")] });
  expect(cachedShare({ system: "Be kind.", messages: [say("hello")] })).toBe(0);
});
