import { firstCharacters } from "../../core/first-characters.ts";
import { tryParseReadable } from "../../core/json.ts";
import type { Part } from "../../core/types.ts";

/** A source with the number that the host gave it. */
export interface NumberedSource {
  /** `3`, or `^4` for a footnote. */
  readonly number: string;
  readonly key: string;
  readonly label: string;
  /** What it says there, as far as a reader needs it. */
  readonly passage: string;
}

/** Fields that hold a source's number, and what it is found by, in order of preference. */
const NUMBER_FIELDS = "n number index idx ref citation cite rank position no id".split(" ");
const KEY_FIELDS =
  "document_id documentId doc_id docId url uri link href id source path file filename title name".split(" ");
const PASSAGE_FIELDS = "text content page_content passage snippet excerpt body summary".split(" ");
/** A longer passage is cut (characters). */
const MAX_PASSAGE = 2_000;
const MAX_KEY = 300;
const MAX_TITLE = 60;
/** Citation numbers have up to three digits: longer ones are ids. */
const MAX_NUMBER = 999;
/** A larger result is searched as text only: parsing it would cost more than its sources are worth (characters). */
const MAX_JSON = 2_000_000;

/** The sources that a part defines: passages of a search result, a list of references, footnotes. */
export function definedSources(part: Part): NumberedSource[] {
  if (part.type === "tool-result")
    return [...fromJson(part.text), ...fromTags(part.text), ...fromLines(part.text)];
  if (part.type === "text") return [...fromTags(part.text), ...fromLines(part.text)];
  return [];
}

function fromJson(text: string): NumberedSource[] {
  const start = text.trimStart()[0];
  if ((start !== "[" && start !== "{") || text.length > MAX_JSON) return [];
  const value = tryParseReadable(text);
  if (value === undefined) return [];
  const found: NumberedSource[] = [];
  const visit = (item: unknown, depth: number): void => {
    if (typeof item !== "object" || item === null || depth > 6) return;
    if (!Array.isArray(item)) {
      const source = fromObject(item as Record<string, unknown>);
      if (source !== undefined) found.push(source);
    }
    for (const inner of Object.values(item)) visit(inner, depth + 1);
  };
  visit(value, 0);
  return found;
}

function fromObject(item: Record<string, unknown>): NumberedSource | undefined {
  const number = NUMBER_FIELDS.map((field) => item[field]).find(isNumber);
  if (number === undefined) return undefined;
  const text = (field: string): string | undefined => {
    const value = item[field];
    return typeof value === "string" && value !== "" && value.length <= MAX_KEY && !isNumber(value)
      ? value
      : undefined;
  };
  const key = KEY_FIELDS.map(text).find((value) => value !== undefined);
  if (key === undefined) return undefined;
  const passage = PASSAGE_FIELDS.map((field) => item[field]).find((value) => typeof value === "string");
  return {
    number: String(Number(number)),
    key,
    label: labelOf(key, text("title") ?? text("name")),
    passage: cutPassage(passage ?? ""),
  };
}

/** A passage up to the tag that ends it. */
function cutPassage(text: string): string {
  const short = firstCharacters(text, MAX_PASSAGE);
  return short.split("</", 1)[0]!.trim();
}

function isNumber(value: unknown): value is number | string {
  const number = typeof value === "string" && /^\d{1,3}$/.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isInteger(number) && number >= 0 && number <= MAX_NUMBER;
}

function labelOf(key: string, title: string | undefined): string {
  if (title === undefined || title === key) return key;
  const short = title.length <= MAX_TITLE ? title : `${title.slice(0, MAX_TITLE).trimEnd()}…`;
  return `${key} ${short.replace(/\s+/g, " ")}`;
}

const OPENING_TAG = /<(?:document|doc|source|passage|result|item|chunk|reference)\b([^<>]{1,600})>/gi;
const ATTRIBUTE = /([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;
/** What a source is found by, in a tag of its own: `<source>handbook.pdf</source>`. */
const NAMING_TAG =
  /<(source|title|url|uri|link|path|file|filename|name|(?:document|doc)_?(?:id|name|title))>([^<>]{1,300})<\/\1>/gi;
/** The tag that the text of a source stands in. */
const TEXT_TAG = /^(?:\s*<[\w-]{1,40}>)+/;

/** `<document index="3" source="…">`, or `<document index="3">` with `<source>…</source>` in it, or with nothing but text. */
function fromTags(text: string): NumberedSource[] {
  if (!text.includes("<")) return [];
  const found: NumberedSource[] = [];
  const tags = [...text.matchAll(OPENING_TAG)];
  for (const [at, { 0: tag, 1: attributes = "", index }] of tags.entries()) {
    const from = index + tag.length;
    const inside = text.slice(from, Math.min(tags[at + 1]?.index ?? text.length, from + 2 * MAX_PASSAGE));
    const passage = cutPassage(inside.replace(NAMING_TAG, "").replace(TEXT_TAG, ""));
    const fields = Object.fromEntries([
      ...[...inside.matchAll(NAMING_TAG)].map(([, name = "", value = ""]) => [
        name.toLowerCase(),
        value.trim(),
      ]),
      ...[...attributes.matchAll(ATTRIBUTE)].map(([, name, value, quoted]) => [name, value ?? quoted]),
    ]);
    const source =
      fromObject(fields) ??
      fromObject({ ...fields, name: passage.split("\n", 1)[0]!.slice(0, 2 * MAX_TITLE) });
    if (source !== undefined) found.push({ ...source, passage });
  }
  return found;
}

/** `[3] Title, https://…` or `[^4]: …` at the start of a line: what follows names the source. */
const LISTED = /^[ \t>*-]*(?:\[(\^?\d{1,3})\]|【(\d{1,3})】)[:.]?[ \t]+(\S[^\n]{2,400})/gm;
/** How such a line begins: what stands before the number, the number, and the blank behind it. */
export const LISTED_NUMBER = /^([ \t>*-]*)(\[\^?\d{1,3}\]|【\d{1,3}】)([:.]?[ \t]+)(?=\S)/gm;
/** `3. Title – https://…`, `3. handbook.pdf`: only with an address or a document, or every numbered list would be one of sources. */
const LISTED_PLAIN =
  /^[ \t>*-]*(\d{1,3})[.)][ \t]+([^\n]{0,300}?(?:https?:\/\/[^\s)>\]]+|[\w-]\.(?:pdf|docx?|pptx?|xlsx?|html?|epub|odt|rtf)\b)[^\n]{0,60})/gim;
const ADDRESS = /https?:\/\/[^\s)>\]"']+/;

function fromLines(text: string): NumberedSource[] {
  const found: NumberedSource[] = [];
  const add = (number: string, rest: string, passage: string): void => {
    const address = ADDRESS.exec(rest)?.[0];
    const title = rest.slice(0, 2 * MAX_TITLE).trim();
    found.push({
      number,
      key: address ?? title,
      label: address === undefined ? title : labelOf(address, rest.replace(address, " ").trim() || undefined),
      passage: cutPassage(passage),
    });
  };
  const listed = text.includes("[") || text.includes("【") ? [...text.matchAll(LISTED)] : [];
  for (const [at, { 1: bracket, 2: lenticular, 3: rest = "", index }] of listed.entries())
    add((bracket ?? lenticular)!, rest, text.slice(index, listed[at + 1]?.index));
  for (const [, number = "", rest = ""] of text.matchAll(LISTED_PLAIN)) add(number, rest, rest);
  return found;
}
