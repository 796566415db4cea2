import { expect, test } from "vitest";
import { formatSeconds } from "./words.ts";

test.each([
  [0, "0 seconds"],
  [1, "1 second"],
  [7.9, "7.9 seconds"],
  [59.96, "1 minute"],
  [725, "12 minutes 5 seconds"],
  [3_600, "1 hour"],
  [3_661.4, "1 hour 1 minute 1 second"],
  [-1, "0 seconds"],
])("%d is %s", (seconds, text) => {
  expect(formatSeconds(seconds)).toBe(text);
});
