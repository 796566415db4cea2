import { firstCharacters } from "../../core/first-characters.ts";
import { sentencesOf } from "../text/sentences.ts";

/** A piece of what a message says, with its place in the lists, tables and sections of that message. */
export interface Piece {
  readonly text: string;
  /** The titles above it, and the sentence that leads into its list, one in a line; empty if there is none. */
  readonly lead: string;
  /**
   * `sentence`: prose. `point`: an item of a list up to its first sentence end, or a row of a table. `detail`: what else is said
   * under a point. `code`: a short fenced stretch.
   */
  readonly kind: "sentence" | "point" | "detail" | "code";
  /** Ordinal of the list or table in its message: points of one block are shown together. -1 outside of any. */
  readonly block: number;
  /** Ordinal of the line: pieces of one line are shown in one line. */
  readonly line: number;
}

/** Longer lines of prose are read sentence by sentence, and longer points of a list too (characters). */
const MAX_STATEMENT = 280;
const MAX_POINT = 120;
const MAX_TITLE = 90;
/** A longer sentence that ends with a colon is a statement of its own (characters). */
const MAX_ANNOUNCEMENT = 240;
/** Longer stretches of code are left to the calls that wrote them (lines, characters). */
const MAX_CODE_LINES = 8;
const MAX_CODE = 480;
/** Titles that are shown above a statement: the section and what leads into the list. */
const TITLES_SHOWN = 2;

const RULE = /^[\s|:+=_*-]*$/;
const TITLE = /^(?:#{1,6}\s.*|\*\*[^*]+\*\*:?|[^.!?]*:)$/;
/** What only says that something follows ("Here is the analysis:"). */
const ANNOUNCES = /[:：]$/;
const LIST_ITEM = /^(?:[-*•]|\d+[.)])\s/;
const NUMBER = /^(\d+)[.)]\s/;
/** A figure or a name in code signs. */
export const SPECIFIC = /[\d`/]/;
/** Scripts that put no spaces between words. */
const DENSE_SCRIPT = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]{4}/u;
/** Signs that only a page shows. */
const DECORATION = /\*\*|^#{1,6}\s+|^>\s?/g;

/** Depths of titles: `#` to `######`, then lines in bold, then sentences with a colon. */
const BOLD = 7;
const ANNOUNCEMENT = 8;

interface Title {
  readonly depth: number;
  readonly text: string;
  /** A sentence with a colon leads into one thing: what it has led into so far. */
  ledInto: "nothing" | "code" | "all";
  /** A line of its own in bold still leads into what is said about its code. */
  readonly isBold: boolean;
}

interface Block {
  readonly id: number;
  readonly indent: number;
  readonly lead: string;
  readonly isRows: boolean;
  /** The number of its newest point; 0 without numbers. */
  number: number;
}

/** A line of prose without the signs of its markup. */
export function plainStatement(line: string): string {
  return line.replace(DECORATION, "").replace(/\s+/g, " ").trim();
}

/**
 * Can it be read alone? A point of a list says what it says beside the others, however short it is; a sentence needs so many words, or a
 * figure or a name.
 */
export function saysSomething({ text, kind }: Piece, leastWords: number): boolean {
  if (kind !== "sentence" || SPECIFIC.test(text) || DENSE_SCRIPT.test(text)) return true;
  return text.split(/\s+/, leastWords).length >= leastWords;
}

/** The first, the last, and towards the middle from the side that has less so far. */
export function fromBothEnds<T>(items: readonly T[], lengthOf: (item: T) => number = () => 1): T[] {
  const ordered: T[] = [];
  let head = 0;
  let tail = items.length - 1;
  let more = 0;
  while (head <= tail) {
    const fromEnd = more > 0;
    const item = items[fromEnd ? tail-- : head++]!;
    more += (fromEnd ? -1 : 1) * lengthOf(item);
    ordered.push(item);
  }
  return ordered;
}

/** What a message says, in pieces. `bySentence`: prose is read sentence by sentence, however short its lines are. */
export function readPassage(text: string, bySentence: boolean): Piece[] {
  const reader = new PassageReader(bySentence);
  for (const stretch of stretchesOf(text)) {
    if (stretch.type === "code") reader.code(stretch.lines, stretch.isClosed);
    else reader.prose(stretch.line);
  }
  return reader.pieces;
}

function cutCode(line: string): string {
  return line.length <= MAX_CODE ? line : `${firstCharacters(line, MAX_CODE - 2).trimEnd()} …`;
}

class PassageReader {
  readonly pieces: Piece[] = [];
  readonly #bySentence: boolean;
  #titles: Title[] = [];
  #block: Block | undefined;
  #numbered: Block | undefined;
  #blocks = 0;
  #line = 0;

  constructor(bySentence: boolean) {
    this.#bySentence = bySentence;
  }

  code(lines: readonly string[], isClosed: boolean): void {
    const shown = isClosed ? lines : lines.slice(0, MAX_CODE_LINES);
    const isCut = shown.length < lines.length;
    const text = `${shown
      .slice(0, MAX_CODE_LINES + 1)
      .map(cutCode)
      .join("\n")
      .trim()}${isCut ? "\n…" : ""}`;
    const isShort = text !== "" && shown.length <= MAX_CODE_LINES && text.length <= MAX_CODE;
    if (this.#block !== undefined) {
      if (isShort) this.#push(text, "code", this.#block.lead, this.#block.id);
      return;
    }
    const last = this.#titles.at(-1);
    const lead = this.#leadInto("code");
    if (isShort) this.#push(text, "code", lead);
    else if (last?.depth === ANNOUNCEMENT && last === this.#titles.at(-1) && SPECIFIC.test(last.text)) {
      // What led into a long stretch of code can be read without it.
      this.#titles.pop();
      this.#push(last.text, "sentence", this.#lead());
    }
  }

  prose(raw: string): void {
    if (RULE.test(raw)) return;
    const line = raw.trim();
    const plain = plainStatement(line);
    const indent = raw.length - raw.trimStart().length;
    this.#line++;
    if (LIST_ITEM.test(plain) || line.startsWith("|")) this.#point(plain, indent, line.startsWith("|"));
    else if (this.#block !== undefined && indent > this.#block.indent) this.#details(sentencesOf(plain));
    else {
      this.#block = undefined;
      if (TITLE.test(line) && plain.length <= MAX_TITLE) this.#title(line, plain);
      else this.#sentences(plain);
    }
  }

  #title(line: string, text: string): void {
    const marks = /^#{1,6}/.exec(line)?.[0].length;
    this.#pushTitle(marks ?? (ANNOUNCES.test(text) ? ANNOUNCEMENT : BOLD), text, line.startsWith("**"));
  }

  #pushTitle(depth: number, text: string, isBold = false): void {
    while ((this.#titles.at(-1)?.depth ?? 0) >= depth) this.#titles.pop();
    this.#titles.push({ depth, text, ledInto: "nothing", isBold });
  }

  #sentences(plain: string): void {
    const isSplit = this.#bySentence || plain.length > MAX_STATEMENT || ANNOUNCES.test(plain);
    const parts = isSplit ? sentencesOf(plain).map((part) => part.trim()) : [plain];
    const last = parts.at(-1) ?? "";
    const announcement = ANNOUNCES.test(last) && last.length <= MAX_ANNOUNCEMENT ? parts.pop() : undefined;
    if (parts.length > 0) {
      const lead = this.#leadInto("prose");
      for (const part of parts) this.#push(part, "sentence", lead);
    }
    if (announcement !== undefined) this.#pushTitle(ANNOUNCEMENT, announcement);
  }

  #point(plain: string, indent: number, isRow: boolean): void {
    const number = Number(NUMBER.exec(plain)?.[1] ?? 0);
    if (this.#isDetail(indent, number, isRow)) {
      this.#details(plain.length > MAX_POINT && !isRow ? sentencesOf(plain) : [plain]);
      return;
    }
    const isNext = this.#numbered !== undefined && number > 1 && number === this.#numbered.number + 1;
    if (isNext) this.#block = this.#numbered;
    else if (this.#block?.isRows !== isRow || (number === 1 && this.#block.number > 0))
      this.#open(indent, isRow);
    const block = this.#block!;
    block.number = number;
    if (number > 0) this.#numbered = block;
    const [head = "", ...rest] = plain.length > MAX_POINT && !isRow ? sentencesOf(plain) : [plain];
    this.#push(head, "point", block.lead, block.id);
    this.#details(rest);
  }

  /** Is it indented below a point, or a point without a number under one that has a number? */
  #isDetail(indent: number, number: number, isRow: boolean): boolean {
    if (this.#block === undefined) return false;
    return indent > this.#block.indent || (this.#block.number > 0 && number === 0 && !isRow);
  }

  #open(indent: number, isRows: boolean): void {
    const id = this.#blocks++;
    this.#block = { id, indent, isRows, lead: this.#leadInto("block"), number: 0 };
  }

  #details(parts: readonly string[]): void {
    const { lead, id } = this.#block!;
    for (const part of parts) this.#push(part.trim(), "detail", lead, id);
  }

  /** The titles above what follows; a sentence with a colon leads into the first thing behind it only. */
  #leadInto(what: "block" | "prose" | "code"): string {
    const last = this.#titles.at(-1);
    if (last?.depth === ANNOUNCEMENT) {
      const isDone = last.ledInto === "all" || (last.ledInto === "code" && what === "prose" && !last.isBold);
      if (isDone) this.#titles.pop();
      else last.ledInto = what === "code" ? "code" : "all";
    }
    return this.#lead();
  }

  #lead(): string {
    return this.#titles
      .slice(-TITLES_SHOWN)
      .map(({ text }) => text)
      .join("\n");
  }

  #push(text: string, kind: Piece["kind"], lead: string, block = -1): void {
    if (text !== "") this.pieces.push({ text, lead, kind, block, line: this.#line });
  }
}

/** A line of prose, or a stretch of code between fences. */
type Stretch =
  | { readonly type: "prose"; readonly line: string }
  | { readonly type: "code"; readonly lines: readonly string[]; readonly isClosed: boolean };

/** What opens a stretch of code; code that ends in the same line is part of a sentence. */
const FENCE = /^\s*(`{3,8}|~{3,8})(?!.*\1)(.*)$/s;
const LONGEST = 8;

interface Fence {
  readonly sign: string;
  readonly length: number;
  /** Nothing stands behind it: it may close a stretch. */
  readonly isBare: boolean;
}

/**
 * A text by its lines of prose and its stretches of code. A fence that nobody closes begins code only if it names a language: where
 * fences stand within each other, the last one is left over, and what follows it is prose.
 */
function* stretchesOf(text: string): Generator<Stretch> {
  const lines = text.split("\n");
  const fences = lines.map(fenceIn);
  const last = lastClosers(fences);
  const lastFence = fences.findLastIndex((fence) => fence !== undefined);
  for (let at = 0; at < lines.length; at++) {
    const opener = fences[at];
    if (opener === undefined) {
      yield { type: "prose", line: lines[at]! };
      continue;
    }
    const hasCloser = (last[opener.sign]?.[opener.length] ?? -1) > at;
    // Without one that may close it, the next fence of any kind has to.
    if (!hasCloser && lastFence <= at) {
      if (opener.isBare) continue;
      yield { type: "code", lines: lines.slice(at + 1), isClosed: false };
      return;
    }
    let end = at + 1;
    while (hasCloser ? !closes(fences[end], opener) : fences[end] === undefined) end++;
    yield { type: "code", lines: lines.slice(at + 1, end), isClosed: true };
    at = end;
  }
}

function fenceIn(line: string): Fence | undefined {
  const [, signs, rest] = FENCE.exec(line) ?? [];
  return signs === undefined
    ? undefined
    : { sign: signs[0]!, length: signs.length, isBare: rest!.trim() === "" };
}

function closes(fence: Fence | undefined, opener: Fence): boolean {
  return fence?.isBare === true && fence.sign === opener.sign && fence.length >= opener.length;
}

/** By sign and length of an opener: the last line that could close it. */
function lastClosers(fences: readonly (Fence | undefined)[]): Readonly<Record<string, number[]>> {
  const last: Record<string, number[]> = {};
  for (const [at, fence] of fences.entries()) {
    if (fence?.isBare !== true) continue;
    const own = last[fence.sign] ?? Array.from({ length: LONGEST + 1 }, () => -1);
    last[fence.sign] = own.fill(at, 0, fence.length + 1);
  }
  return last;
}
