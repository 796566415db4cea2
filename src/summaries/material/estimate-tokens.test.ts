import { expect, test } from "vitest";
import { charsCounter, exactCounter } from "../../tokens/index.ts";
import { estimateTokens } from "./message-material.ts";

const lines = Array.from({ length: 200 }, (_, i) =>
  i % 2 === 0
    ? `The parser reads the settings once and keeps the answer for later number ${i}`
    : `{"id":${i * 7919},"sha":"${(i * 2_654_435_761).toString(16)}","at":"2026-01-${(i % 28) + 1}T10:0${i % 10}"}`,
);

test("figures and signs are dearer than prose of the same length", async () => {
  const { count } = await exactCounter("o200k_base");
  const estimate = estimateTokens(lines, count);
  for (const line of lines.slice(0, 20)) {
    expect(estimate(line) / count(line)).toBeGreaterThan(0.75);
    expect(estimate(line) / count(line)).toBeLessThan(1.33);
  }
});

test("a counter that goes by length is followed", () => {
  const { count } = charsCounter();
  const estimate = estimateTokens(lines, count);
  const text = "1234567890 {}[]();".repeat(20);
  expect(estimate(text)).toBeCloseTo(count(text), -1);
});

test("nothing to measure: a usual value", () => {
  expect(estimateTokens([], () => 1)("abcd".repeat(10))).toBe(10);
});
