/** Texts that would take the parser long are shown as they were written. */
import { expect, test } from "vitest";
import { parseMarkdown } from "./parse-markdown.ts";

const isMarkdown = (text: string): boolean => parseMarkdown(text) !== undefined;
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
  expect(isMarkdown(`Look: ${upTo(20_000, piece)}`)).toBe(false);
});

test.each([
  ["quotes within quotes", `${">".repeat(6_000)} a`],
  ["quotes within quotes, with spaces", "> ".repeat(6_000)],
  ["lists within lists on one line", "1) ".repeat(6_000)],
  ["lists within lists", Array.from({ length: 60 }, (_, n) => `${" ".repeat(2 * n)}- a`).join("\n")],
  ["very long texts", upTo(300_000, "words and more words.\n\n")],
])("%s are shown as they were written", (_, text) => {
  expect(isMarkdown(text)).toBe(false);
});

test.each([
  ["- a\n  ```\n", "the fence ends with its list"],
  ["- ```\n  ```\n", "the fence began within a list"],
  ["``` a`b\n", "the fence isn't one"],
  ["<div>\n```\n</div>\n\n", "the fence stands in HTML"],
  ["$$\n```\n$$\n", "the fence stands in a formula"],
  ["| a | b |\n|---|\n", "the table isn't one"],
  ["| a |\n|---|\n> ", "the table has ended"],
])("20 KB behind %j are shown as they were written: %s", (start) => {
  expect(isMarkdown(`${start}${upTo(20_000, "*_a")}`)).toBe(false);
});

test.each([
  [
    "a long list with bold words",
    upTo(40_000, "- **name**: what `it` does, see [there](https://a.example/b)\n"),
  ],
  ["many paragraphs", upTo(100_000, "Some *words* and `code` (see [1]).\n\n")],
  ["a long table", `| a | b | c |\n|---|---|---|\n${"| 1.5 | **b** | `c` |\n".repeat(3_000)}`],
  ["long code", `So:\n\n\`\`\`js\n${upTo(300_000, "foo(bar[0]).baz(`*_a`);\n")}\`\`\`\nThat is it.`],
  ["code in a list", `1. Do\n   ~~~\n${upTo(40_000, "   foo(bar[0]).baz();\n")}   ~~~\n2. Then`],
  ["code whose fence doesn't end", `\`\`\`\n\`\`\`~~~\n${upTo(20_000, "*_a")}`],
  ["nothing", ""],
])("%s is Markdown", (_, text) => {
  expect(isMarkdown(text)).toBe(true);
});
