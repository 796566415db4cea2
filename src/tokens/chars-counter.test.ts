import { expect, test } from "vitest";
import { charsCounter } from "./chars-counter.ts";

test("counts characters, rounded up", () => {
  expect(charsCounter().count("")).toBe(0);
  expect(charsCounter().count("abcd")).toBe(1);
  expect(charsCounter().count("abcde")).toBe(2);
  expect(charsCounter({ charsPerToken: 2.5 }).count("abcdef")).toBe(3);
});

test("names how it counts", () => {
  expect(charsCounter().id).toBe("chars/4");
  expect(charsCounter({ charsPerToken: 3 }).id).toBe("chars/3");
});

test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])(
  "refuses %d characters per token",
  (charsPerToken) => {
    expect(() => charsCounter({ charsPerToken })).toThrow(/charsPerToken/);
  },
);
