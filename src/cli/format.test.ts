import { expect, test } from "vitest";
import { formatChange, formatCount, formatDollars, formatShare, formatShort } from "./format.ts";

test("numbers as people read them", () => {
  expect([0, 999, 1234, 1234567].map(formatCount)).toEqual(["0", "999", "1,234", "1,234,567"]);
  expect([0, 950, 1000, 12345, 123456, 999_499, 999_500, 1234567, 43_700_000].map(formatShort)).toEqual([
    "0",
    "950",
    "1k",
    "12.3k",
    "123k",
    "999k",
    "1M",
    "1.23M",
    "43.7M",
  ]);
  expect(formatShare(0.1234)).toBe("12.3 %");
  expect([formatChange(40, 100), formatChange(150, 100), formatChange(1, 1), formatChange(1, 0)]).toEqual([
    "−60.0 %",
    "+50.0 %",
    "±0 %",
    "±0 %",
  ]);
  expect([1234, 12.345, 0.1234, 0.01234, 0.05, 0.00001, 0].map(formatDollars)).toEqual([
    "$1,234",
    "$12.35",
    "$0.12",
    "$0.0123",
    "$0.05",
    "less than $0.0001",
    "$0",
  ]);
});
