import { expect, test } from "vitest";
import { editDistance, nearest } from "./check.ts";

test.each([
  ["budgte", "budget"],
  ["bugdet", "budget"],
  ["strat", "strategy"],
  ["--", undefined],
  ["colour", undefined],
  ["mudge", undefined],
])("%s → %s", (word, expected) => {
  expect(nearest(word, ["budget", "window", "strategy", "html"])).toBe(expected);
});

test("a swap of neighbours is one edit", () => {
  expect(editDistance("ab", "ba")).toBe(1);
  expect(editDistance("kitten", "sitting")).toBe(3);
  expect(editDistance("", "abc")).toBe(3);
});
