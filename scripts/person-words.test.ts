import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { EDIT_REASONS } from "../src/core/edits.ts";
import { DROP_WORDS, REASON_WORDS, RUNG_WORDS, STRATEGY_WORDS } from "../src/core/words.ts";

const page = (name: string): string => readFileSync(`docs/reference/${name}.md`, "utf8");

const labels = Object.fromEntries(Object.entries(STRATEGY_WORDS).map(([name, { label }]) => [name, label]));

/** Rows look like "| `name` | words |"; a note may follow the name. */
test.each([
  ["reasons", "events", REASON_WORDS],
  ["rungs", "strategies", RUNG_WORDS],
  ["strategies", "strategies", labels],
  ["reasons of an edit", "results", EDIT_REASONS],
  ["reasons of a drop", "results", DROP_WORDS],
] as const)("the docs call the %s what the page and the terminal call them", (_, name, words) => {
  const rows = page(name).split("\n");
  for (const [key, text] of Object.entries(words))
    expect(
      rows.some((row) => row.includes(`| \`${key}\``) && row.includes(` | ${text} |`)),
      `docs/reference/${name}.md has a row for ${key} with "${text}"`,
    ).toBe(true);
});
