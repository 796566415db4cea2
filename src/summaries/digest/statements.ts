import { firstCharacters, textBetween } from "../../core/first-characters.ts";
import { stretchesOf } from "../fences.ts";

/** A statement of prose that can be read alone, under the title that it stood under. */
export interface ProseStatement {
  readonly text: string;
  /** The title or the line with a colon before it; empty for none. */
  readonly lead: string;
  /** Of an item: which list of the text it stands in. */
  readonly list?: number;
}

/** Shorter ones say nothing (characters). */
const SHORTEST = 12;
/** Longer ones are cut at a sentence's end or a space (characters). */
const LONGEST = 420;

const TABLE_ROW = /^\s*\|/;
// A dot takes every line break that is left in a line; otherwise blanks before one would be tried again from each of their places.
const HEADING = /^\s*#{1,6}\s(.*)$/s;
const BOLD_LINE = /^\s*\*\*([^*]+)\*\*:?\s*$/;
const LIST_ITEM = /^\s*(?:[-*•+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?(\S.*)$/s;
const RULE = /^\s*(?:-{3,}|={3,}|\*{3,})\s*$/;
/** Signs that programs put before a line: checks, crosses, arrows. */
const LEADING_SIGN = /^(?:\s|>|→|[✓✔✗✖]|\p{Extended_Pictographic}|\uFE0F)+/u;
/** What programs put under texts. */
const SIGNATURE = /^(?:🤖|Co-Authored-By:|Generated with\b)/iu;
/** Where a sentence ends. Not after a single capital letter or a digit: `J. Doe`, `3. item`. */
const SENTENCE_END = /(?<=[^\s\p{Lu}\d][.!?…]["')\]*`]*)\s+(?=\S)|(?<=[。！？।])/gu;

export const sentencesIn = (line: string): string[] =>
  line.split(SENTENCE_END).filter((sentence) => sentence.trim() !== "");

/** What a text of prose states: list items whole, paragraphs by their sentences. Code, tables and titles aren't statements. */
export function statementsIn(text: string): ProseStatement[] {
  const statements: ProseStatement[] = [];
  let lead = "";
  let item = "";
  let paragraph = "";
  let list = 0;
  function flush(): void {
    if (item !== "") add(item, { list });
    for (const sentence of sentencesIn(paragraph)) add(sentence);
    // Words between two items end a list, empty lines don't.
    if (paragraph !== "") list++;
    item = "";
    paragraph = "";
  }
  const add = (raw: string, place: { readonly list?: number } = {}): void => {
    const statement = plain(raw);
    if (statement.endsWith(":")) lead = statement.slice(0, -1);
    else if (statement.length >= SHORTEST && /\p{L}{2}/u.test(statement) && !SIGNATURE.test(statement))
      statements.push({ text: statement, lead, ...place });
  };
  for (const stretch of stretchesOf(text)) {
    if (stretch.type === "code") {
      flush();
      continue;
    }
    const { line } = stretch;
    if (TABLE_ROW.test(line)) continue;
    const title = HEADING.exec(line)?.[1] ?? BOLD_LINE.exec(line)?.[1];
    const listed = LIST_ITEM.exec(line)?.[1];
    if (title !== undefined) {
      flush();
      list++;
      lead = plain(title).replace(/:$/, "");
    } else if (listed !== undefined) {
      flush();
      item = listed;
    } else if (line.trim() === "" || RULE.test(line)) {
      flush();
    } else if (item !== "" && /^\s/.test(line)) {
      item += ` ${line.trim()}`;
    } else {
      if (item !== "") flush();
      paragraph += ` ${line.trim()}`;
    }
  }
  flush();
  return statements;
}

function plain(text: string): string {
  return shortened(inOneLine(text.replace(LEADING_SIGN, "")), LONGEST);
}

/** A text without line breaks of any kind: behind one, quoted words would look like a part of the text that quotes them. */
export function inOneLine(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, " ").trim();
}

/** A text within so many characters, cut where a sentence or a word ends. */
export function shortened(text: string, limit: number): string {
  if (text.length <= limit) return text;
  let end = 0;
  for (const match of text.slice(0, limit).matchAll(SENTENCE_END)) end = match.index;
  if (end > limit / 2) return text.slice(0, end).trim();
  const space = text.lastIndexOf(" ", limit - 1);
  return `${firstCharacters(text, space > limit / 2 ? space : limit - 1)}…`;
}

/** Of a text that is cut, this share of what stays is from its beginning. */
const HEAD_SHARE = 0.5;

/** Beginning and end of a text within so many characters, each in whole sentences where they are short enough. "…" stands for what is left out. */
export function bothEnds(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const room = limit - 3;
  const tail = endOf(text, Math.floor(room * (1 - HEAD_SHARE)));
  const head = beginOf(text, room - tail.length);
  return `${head} … ${tail}`;
}

function beginOf(text: string, limit: number): string {
  let end = 0;
  for (const match of text.slice(0, limit + 1).matchAll(SENTENCE_END)) end = match.index;
  if (end > limit / 2) return text.slice(0, end).trim();
  const space = text.lastIndexOf(" ", limit);
  return firstCharacters(text, space > limit / 2 ? space : limit).trim();
}

function endOf(text: string, limit: number): string {
  // One character before what may stay: a sentence may begin right there.
  const from = text.length - limit - 1;
  const last = text.slice(from);
  const starts = [...last.matchAll(SENTENCE_END)].map(({ 0: { length }, index }) => index + length);
  const start = starts.find((at) => at > 0 && at < limit / 2);
  if (start !== undefined) return last.slice(start).trim();
  const space = last.indexOf(" ");
  return textBetween(text, from + (space >= 0 && space < limit / 2 ? space + 1 : 1), text.length).trim();
}
