/** Numbers that can't be are handed on, so that the server can say what is wrong; only what is no number stays here. */
import { expect, it } from "vitest";
import { readNumber } from "./read-number.ts";

it.each([
  ["tokens", "32k", 32_000],
  ["tokens", "-5", -5],
  ["tokens", "0", 0],
  ["percent", "80 %", 0.8],
  ["percent", "150", 1.5],
  ["threshold", "80", 0.8],
  ["threshold", "12k", 12_000],
  ["threshold", "-3", -0.03],
  ["count", "2.5", 2.5],
  ["number", "0,7", 0.7],
  ["tokens", "abc", undefined],
  ["percent", "", undefined],
  ["count", "many", undefined],
] as const)("%s: %s", (kind, text, value) => {
  expect(readNumber(kind, text)).toBe(value);
});
