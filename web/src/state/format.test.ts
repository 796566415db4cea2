import { expect, it } from "vitest";
import { ago, clock, dollars, dollarTick, parseTokens, short } from "./format.ts";

it("reads tokens as people write them", () => {
  expect(["32k", "1.5m", "12 000", "12,000", " 8192 "].map(parseTokens)).toEqual([
    32_000, 1_500_000, 12_000, 12_000, 8_192,
  ]);
  for (const none of ["", "abc", "-5", "0", "1.5", "32,5", "1.2.3"])
    expect(parseTokens(none)).toBeUndefined();
});

it("writes numbers for little room", () => {
  expect([0, 999, 1_000, 12_345, 99_960, 1_234_567].map(short)).toEqual([
    "0",
    "999",
    "1k",
    "12.3k",
    "100k",
    "1.2M",
  ]);
  expect([0, 0.0042, 1.2].map(dollars)).toEqual(["$0", "$0.0042", "$1.20"]);
  expect([ago(0, 30_000), ago(0, 3_600_000)]).toEqual(["now", "1 h"]);
});

it("writes the ticks of an axis alike", () => {
  expect([0, 0.05, 0.1, -0.05].map((value) => dollarTick(value, 0.05))).toEqual([
    "$0",
    "$0.05",
    "$0.10",
    "−$0.05",
  ]);
  expect([0.005, 0.01, 0.015].map((value) => dollarTick(value, 0.005))).toEqual([
    "$0.005",
    "$0.010",
    "$0.015",
  ]);
  expect(dollarTick(20, 10)).toBe("$20");
});

it("writes moments of a stream", () => {
  expect([0, 65, 3_725].map(clock)).toEqual(["0:00", "1:05", "1:02:05"]);
});
