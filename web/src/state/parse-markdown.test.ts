import type { Tokens } from "marked";
import { expect, test } from "vitest";
import { parseMarkdown } from "./parse-markdown.ts";

/** The formulas of a text, those on lines of their own with a mark. */
function formulas(text: string): readonly string[] {
  const found: string[] = [];
  const look = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(look);
    else if (typeof value === "object" && value !== null) {
      const { type, text, isBlock } = value as Record<string, unknown>;
      if (type === "formula") found.push(`${isBlock ? "block " : ""}${text}`);
      else Object.values(value).forEach(look);
    }
  };
  look(parseMarkdown(text));
  return found;
}

test.each([
  ["Then $E = mc^2$ holds.", ["E = mc^2"]],
  ["**so** $x$, the $n$th and $10$", ["x", "n", "10"]],
  ["Either \\(a_1 * b_1 * c\\) or \\(b\\).", ["a_1 * b_1 * c", "b"]],
  ["It is\n$$\n\\frac{1}{2}\n$$\nand\n\\[ x < y \\]\nhere.", ["block \\frac{1}{2}", "block x < y"]],
  ["- in a list: $$x$$\n- and $2x + 3$", ["block x", "2x + 3"]],
  ["| a | b |\n| - | - |\n| $x$ | 2 |", ["x"]],
])("finds the formulas of %j", (text, expected) => {
  expect(formulas(text)).toEqual(expected);
});

test.each([
  "It costs $5 and $6.",
  "From $5-$6, US$5 to US$7, $5/month,$10/year, or $5, not 6$ then",
  "`$x$` and \\$x\\$ and $ x $ and $$",
  "```sh\necho $HOME/$USER $x$\n```",
  "Set $HOME/$USER and $PATH.",
  "An open $x and \\(y and \\[ z",
])("leaves %j as it is", (text) => {
  expect(formulas(text)).toEqual([]);
});

test.each([
  ["## A\n### B\n## C", [3, 4, 3]],
  ["### A\n# B\n#### C", [3, 3, 4]],
])("no heading of %j skips a level", (text, levels) => {
  const headings = parseMarkdown(text)?.filter(({ type }) => type === "heading") as Tokens.Heading[];
  expect(headings.map(({ depth }) => depth)).toEqual(levels);
});
