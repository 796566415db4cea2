import { lastTrue } from "../../core/collections.ts";
import { withoutPointers } from "../records/pointers.ts";
import { findCitations } from "../sources/citations.ts";
import type { FoundItem } from "./find-items.ts";
import type { MustKeep } from "./must-keep.ts";

/**
 * The items that a text doesn't carry. Formatting doesn't count: case, quotes, emphasis, escapes, blanks in numbers, and
 * a path may be cut at its front as long as it still says which file is meant.
 */
export function missingItems<T extends FoundItem>(text: string, items: readonly T[]): T[] {
  if (items.length === 0) return [];
  const cited = new Set(findCitations(text).map(({ key }) => key));
  const plain = normalise(text);
  const tight = tighten(plain);
  const fileNames = new Map<string, number>();
  for (const item of items) {
    if (item.kind !== "path") continue;
    const name = lastSegments(normalise(item.text), 1);
    fileNames.set(name, (fileNames.get(name) ?? 0) + 1);
  }
  return items.filter((item) => {
    const wanted = normalise(item.text);
    switch (item.kind) {
      case "citation":
        return !findCitations(item.text).every(({ key }) => cited.has(key));
      case "restriction":
        return !loose(text).includes(loose(item.text));
      case "number":
        return !contains(tight, tighten(wanted));
      case "path": {
        if (contains(plain, wanted)) return false;
        const name = lastSegments(wanted, 1);
        const suffix = fileNames.get(name) === 1 ? name : lastSegments(wanted, 2);
        return suffix.length < 3 || !contains(plain, suffix);
      }
      default:
        return !contains(plain, wanted) && !namesNumber(plain, wanted);
    }
  });
}

/** `PR 12` as people write it. */
function namesNumber(text: string, wanted: string): boolean {
  const [, noun, number] = /^(pr|issue) (\d+)$/.exec(wanted) ?? [];
  if (noun === undefined) return false;
  const nouns = noun === "pr" ? "pr|mr|pull|pull requests?|merge requests?" : "issues?|ticket|bug";
  return new RegExp(`\\b(?:${nouns})[ /]?#?${number}(?!\\d)`).test(text);
}

/** One case, one kind of blank, no quotes, emphasis or escapes. */
function normalise(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/&lt;/g, "<")
    .replace(/["'`´“”„‘’«»*\\]/g, (character) => (character === "\\" ? "/" : ""))
    .replace(/[‐-―−]/g, "-")
    .replace(/\s+/g, " ")
    .trim();
}

/** Words alone: a sentence is kept word for word, whatever becomes of its commas. */
function loose(text: string): string {
  return normalise(text)
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

/** `1 200.5 MB`, `1,200.5MB` and `1200.5 MB` are one number. */
function tighten(text: string): string {
  return text.replace(/(\d)[, ](?=\d{3}(?!\d))/g, "$1").replace(/(?<=\d) (?=[\p{L}%‰°])|(?<=[$€£¥₹]) /gu, "");
}

function lastSegments(path: string, segments: number): string {
  return path.split("/").filter(Boolean).slice(-segments).join("/");
}

const LETTER_OR_DIGIT = /[\p{L}\p{N}_]/u;
/** Scripts without blanks between words: what stands beside a name there says nothing. */
const DENSE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** `wanted` stands in the text as a word of its own: `ABC-12` isn't in `ABC-123`. */
function contains(text: string, wanted: string): boolean {
  if (wanted === "") return true;
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    if (!joins(text[at - 1], wanted[0]) && !joins(wanted.at(-1), text[at + wanted.length])) return true;
  }
  return false;
}

function joins(left: string | undefined, right: string | undefined): boolean {
  if (left === undefined || right === undefined) return false;
  return [left, right].every((character) => LETTER_OR_DIGIT.test(character) && !DENSE.test(character));
}

/** Stands before the items that a model left out even when asked again. */
const LEAD = "Also: ";
const SEPARATOR = " · ";
const RULES_HEADING = /^##\s+Rules\b.*$/m;

/**
 * The summary with what it lacks: restrictions first, each a line of its own, where rules stand; then one line of items, as
 * many as fit its ceiling, first ones first. The text itself is left as it is. A restriction may exceed the ceiling.
 */
export function appendMissing(
  text: string,
  missing: readonly Pick<MustKeep, "kind" | "text" | "message">[],
  cap: number,
  count: (text: string) => number,
): string {
  const withRules = withRestrictions(
    text,
    missing.filter(({ kind }) => kind === "restriction"),
  );
  const items = missing
    .filter(({ kind }) => kind !== "restriction")
    .map((item) => oneLine(item.text))
    .filter((item) => item !== "");
  const withFirst = (number: number): string =>
    `${withRules}\n${LEAD}${items.slice(0, number).join(SEPARATOR)}`;
  const fits = (number: number): boolean => count(withoutPointers(withFirst(number))) <= cap;
  const most = lastTrue(1, items.length, fits);
  return most === 0 ? withRules : withFirst(most);
}

function withRestrictions(text: string, restrictions: readonly Pick<MustKeep, "text" | "message">[]): string {
  if (restrictions.length === 0) return text;
  const lines = restrictions.map((item) => `- The user said: “${oneLine(item.text)}” #${item.message + 1}`);
  const heading = RULES_HEADING.exec(text);
  if (heading === null) return `## Rules\n${lines.join("\n")}\n${text}`;
  const end = heading.index + heading[0].length;
  return `${text.slice(0, end)}\n${lines.join("\n")}${text.slice(end)}`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
