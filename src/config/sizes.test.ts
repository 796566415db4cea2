import { expect, test } from "vitest";
import { bytesIn, millisecondsIn, tokensIn, written } from "./sizes.ts";

test.each([
  ["8000", 8_000],
  ["8,000", 8_000],
  ["128_000", 128_000],
  ["32k", 32_000],
  ["32 K", 32_000],
  ["1m", 1_000_000],
  ["1.5M", 1_500_000],
  ["", undefined],
  ["k", undefined],
  ["32kb", undefined],
  ["-8k", undefined],
  ["8e3", undefined],
  ["99999999999999999", undefined],
  ["1,234,567", 1_234_567],
  ["0.5k", 500],
  ["32,5", undefined],
  ["1_0", undefined],
  ["1.5", undefined],
  ["0.8", undefined],
])("%j is %s tokens", (text, tokens) => {
  expect(tokensIn(text)).toBe(tokens);
});

test.each([
  ["1000", 1_000],
  ["512k", 524_288],
  ["64MB", 67_108_864],
  ["64 m", 67_108_864],
  ["1.5g", 1_610_612_736],
  ["64 tokens", undefined],
])("%j is %s bytes", (text, bytes) => {
  expect(bytesIn(text)).toBe(bytes);
});

test.each([
  ["500ms", 500],
  ["30s", 30_000],
  ["10m", 600_000],
  ["1.5h", 5_400_000],
  ["30d", 2_592_000_000],
  ["4w", 2_419_200_000],
  ["30", undefined],
  ["soon", undefined],
])("%j is %s milliseconds", (text, ms) => {
  expect(millisecondsIn(text)).toBe(ms);
});

test.each([
  ["80%", 0.8],
  ["0,8", 0.8],
  [".3", 0.3],
  ["1", 1],
  ["150%", undefined],
  ["0%", undefined],
  ["1,500", 1_500],
  ["12k", 12_000],
])("%j is the threshold %s", (text, threshold) => {
  expect(written({ is: "threshold" }, text)).toBe(threshold);
});
