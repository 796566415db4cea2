import { expect, test } from "vitest";
import { oneLine, plainText } from "./format.ts";

test("what a model says can't steer the terminal", () => {
  expect(plainText("\u001b[31mred\u001b[0m \u001b]0;title\u0007and\u009b2J\b\r\n\tdone")).toBe(
    "red and\n\tdone",
  );
  // A sequence that comes in two pieces is only text by then.
  expect(plainText("\u001b") + plainText("[2J")).toBe("[2J");
});

test("one line, cut with a mark", () => {
  expect(oneLine(" a\n\n b\tc ", 10)).toBe("a b c");
  expect(oneLine("abcdef", 4)).toBe("abc…");
});
