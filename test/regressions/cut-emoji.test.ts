import { describe, expect, it, test } from "vitest";
import { cut, oneLine, previewOf } from "../../src/cli/format.ts";
import { said } from "../../src/core/check.ts";
import { cutTo, firstCharacters, lastCharacters } from "../../src/core/first-characters.ts";
import { titleOf } from "../../src/gateway/conversation/transcript-record.ts";
import { redact } from "../../src/models/shared/redact.ts";
import { cleanTitle } from "../../src/stores/shared/texts.ts";
import { readCall } from "../../src/summaries/calls/read-call.ts";
import { shortened } from "../../src/summaries/text/sentences.ts";
import { headName } from "../../src/summaries/write/sections.ts";

/** Of seven signs: whoever cuts it in between shows other people, or a joiner without a neighbour. */
const FAMILY = "👩‍👩‍👧‍👦";

const user = (text: string) => ({ role: "user" as const, parts: [{ type: "text" as const, text }] });
const cuts: readonly [string, (text: string) => string][] = [
  ["the title of a conversation", (text) => titleOf([user(text)])],
  ["a title in a store", cleanTitle],
  ["the beginning of a request", (text) => shortened(text, 220)],
  ["what an error shows of a value", said],
  ["what a provider said", (text) => redact(text, [])],
  ["a line of a terminal", (text) => oneLine(text, 40)],
  ["a column", (text) => cut(text, 40)],
  ["a preview", (text) => previewOf(user(text))],
];

describe.each(cuts)("%s", (_name, make) => {
  it.each([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10])("has whole emoji behind %i letters", (letters) => {
    const made = make("a".repeat(letters) + FAMILY.repeat(200));
    expect(made.isWellFormed()).toBe(true);
    expect(made.replaceAll(FAMILY, "")).toMatch(/^"?a*[…\s]*"?$/);
  });
});

test("the name of a tool or a file has no half of an emoji", () => {
  for (let letters = 0; letters < 4; letters++)
    expect(headName("a".repeat(letters) + "𝒜".repeat(200), "tool")).toMatch(/^a*(?:𝒜)+$/u);
});

test("head and body of a call hold all of what it was given, and no half of an emoji", () => {
  for (let letters = 0; letters < 2; letters++) {
    const name = `say${"s".repeat(letters)}`;
    const args = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`k${at}`, "😀".repeat(20)]));
    const { head, body } = readCall({ type: "tool-call", id: "a", name, args: JSON.stringify(args) });
    expect(head.isWellFormed()).toBe(true);
    expect(body.isWellFormed()).toBe(true);
    expect(`${head}${body}`.match(/😀/gu)).toHaveLength(800);
  }
});

test("accents, flags and joined emoji stay whole at both ends", () => {
  const accent = "e\u0301";
  expect(firstCharacters(`ab${accent}`, 3)).toBe("ab");
  expect(lastCharacters(`${accent}ab`, 3)).toBe("ab");
  expect(firstCharacters("a🇩🇪🇫🇷", 6)).toBe("a🇩🇪");
  expect(firstCharacters("a👍🏽b", 4)).toBe("a");
  expect(cutTo(`a${FAMILY}`, 8)).toBe("a…");
});

test("a character that is longer than all that may stay is cut, but never within a pair", () => {
  const long = `e${"\u0301".repeat(500)}`;
  expect(firstCharacters(long, 100).length).toBeGreaterThan(0);
  expect(firstCharacters(long, 100).length).toBeLessThanOrEqual(100);
});
