import { expect, test } from "vitest";
import { isCheapMarkdown } from "./markdown-work.ts";

const upTo = (chars: number, piece: string) => piece.repeat(Math.ceil(chars / piece.length));

test.each([
  "*_a",
  "**a",
  "`a",
  "[a](",
  "![",
  "<a",
  "~~a",
  "a@b.",
  "http://",
  "www.",
  "&a",
  "\\*",
  "|a",
  "5. *_a\n",
])("20 KB of %j are shown as they were written", (piece) => {
  expect(isCheapMarkdown(`Look: ${upTo(20_000, piece)}`)).toBe(false);
});

test.each([
  ["quotes within quotes", `${">".repeat(6_000)} a`],
  ["lists within lists", Array.from({ length: 60 }, (_, n) => `${" ".repeat(2 * n)}- a`).join("\n")],
  ["very long texts", upTo(300_000, "words and more words.\n\n")],
])("%s are shown as they were written", (_, text) => {
  expect(isCheapMarkdown(text)).toBe(false);
});

test.each([
  [
    "a long list with bold words",
    upTo(40_000, "- **name**: what `it` does, see [there](https://a.example/b)\n"),
  ],
  ["many paragraphs", upTo(100_000, "Some *words* and `code` (see [1]).\n\n")],
  ["nothing", ""],
])("%s is Markdown", (_, text) => {
  expect(isCheapMarkdown(text)).toBe(true);
});
