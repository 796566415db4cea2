import { expect, test } from "vitest";
import { budget, oneOf, parseCount, parseTokens } from "./flags.ts";

test.each([
  ["8000", 8_000],
  ["8k", 8_000],
  ["8K", 8_000],
  ["1.5m", 1_500_000],
  ["128,000", 128_000],
  ["128_000", 128_000],
  ["0.5k", 500],
])("%s is %i tokens", (text, tokens) => {
  expect(parseTokens("window", text)).toBe(tokens);
});

test.each(["", "many", "8kb", "-8k", "8e3", "Infinity", "50", "0", "10%"])(
  "%s is refused as a window",
  (text) => {
    expect(() => parseTokens("window", text)).toThrow(/--window/);
  },
);

test.each([
  ["50", undefined, /^--cap 50: this is too few .* Did you mean 50k\? Give a whole number of at least 100,/],
  ["49", 50, /Did you mean 49k\? Give a whole number of at least 50,/],
  ["0", 50, /tokens\. Give a whole number of at least 50,/],
])("%s is refused with the least number that works", (text, least, words) => {
  expect(() => parseTokens("cap", text, least)).toThrow(words);
});

const { read: parseBudget } = budget("N", "");

test("a budget may be a share of the transcript", () => {
  expect(parseBudget("budget", "10%")).toEqual({ share: 0.1 });
  expect(parseBudget("budget", "12.5 %")).toEqual({ share: 0.125 });
  expect(parseBudget("budget", "8k")).toEqual({ tokens: 8_000 });
  expect(() => parseBudget("budget", "0%")).toThrow(/more than 0%/);
  expect(() => parseBudget("budget", "101%")).toThrow(/at most 100%/);
});

test("counts are whole and start at 1", () => {
  expect(parseCount("pick", "12")).toBe(12);
  for (const text of ["0", "-1", "1.5", "x"]) expect(() => parseCount("pick", text)).toThrow(/from 1/);
});

test("names out of a list", () => {
  expect(oneOf("profile", "rag", ["agent", "rag"])).toBe("rag");
  expect(() => oneOf("profile", "agnet", ["agent", "rag"])).toThrow(
    /Did you mean agent\? It is one of agent, rag/,
  );
});
