import { expect, it } from "vitest";
import { growth, LINEAR } from "../../test/support/growth.ts";
import { linearPattern } from "./pattern.ts";

const MAY_BE_MISSING = "(?:a?){200}(?:a?){200}(?:a?){200}b";

it("parts that may all be missing are paid for: one line of them uses up the allowance", () => {
  const pattern = linearPattern(MAY_BE_MISSING);
  expect(pattern.find("a".repeat(2_000))).toBeUndefined();
  expect(pattern.isExhausted).toBe(true);
});

it("such a pattern costs no more than its allowance, however long the line is", () => {
  expect(growth((size) => linearPattern(MAY_BE_MISSING).find("a".repeat(size)), 1_000)).toBeLessThan(LINEAR);
});

it("and still finds what a short line has", () => {
  expect(linearPattern(MAY_BE_MISSING).find(`${"a".repeat(20)}b`)).toEqual({ from: 0, to: 21 });
});
