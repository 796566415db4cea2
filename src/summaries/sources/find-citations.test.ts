import { expect, test } from "vitest";
import { findCitations } from "./citations.ts";

const keys = (text: string): string =>
  findCitations(text)
    .map(({ key }) => key)
    .join(" ");

test.each([
  ["A claim [3] and another[1].", "3 1"],
  ["Both [1, 2] say so; [4;5] too.", "1 2 4 5"],
  ["A range [3]–[5], and [7-9].", "3 4 5 7 8 9"],
  ["[3] - not a range but [5]", "3 5"],
  ["A note[^4] and [^12].", "^4 ^12"],
  ["Found 【7†source】 and 【12:3†a.pdf】.", "7 12"],
  ["Twice [2], [2].", "2"],
  ["[3](https://example.test) is a link", "3"],
  ["In code `rows[3]` and\n```\nx[4]\n```\nbut [5] isn't", "5"],
  ["Years [1990-2024], [2024], lines [1-400], a checkbox [x], [abc], [].", "1 400"],
  ["根据资料[1]和[2]。", "1 2"],
  ["nothing", ""],
])("%j", (text, wanted) => {
  expect(keys(text)).toBe(wanted);
});

test("the short form of each style", () => {
  expect(findCitations("[1, 2] [^4] 【7†source】").map(({ text }) => text)).toEqual([
    "[1]",
    "[2]",
    "[^4]",
    "【7†source】",
  ]);
});
