import { expect, it } from "vitest";
import {
  ago,
  clock,
  dollars,
  dollarTick,
  hourOf,
  minuteOf,
  moment,
  parseTokens,
  rate,
  short,
} from "./format.ts";

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
  expect([ago(0, 30_000), ago(0, 3_600_000)]).toEqual(["now", "1 h ago"]);
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

it("writes all times in one form, that of the browser's language", () => {
  const at = new Date(2026, 10, 18, 14, 3, 9).getTime();
  const form = new Date(at).toLocaleTimeString(undefined, { hour: "numeric", minute: "2-digit" });
  expect(hourOf(at)).toBe(form);
  expect(minuteOf(at)).toContain(form);
  expect(moment(at, at + 7 * 86_400_000)).toBe(minuteOf(at));
  expect(moment(at, at)).toBe(new Date(at).toLocaleTimeString());
});

it("writes small rates so that they don't look like none", () => {
  expect([0, 0.00001, 0.0042, 0.0994, 0.0999, 1].map(rate)).toEqual([
    "0 %",
    "0.1 %",
    "0.4 %",
    "9.9 %",
    "10 %",
    "100 %",
  ]);
});
