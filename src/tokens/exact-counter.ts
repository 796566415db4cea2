import { createRecentMap, createTextMemo, LONG_CHARS } from "../core/collections.ts";
import { cutBefore } from "../core/first-characters.ts";
import type { Pause } from "../core/pause.ts";
import type { Measure, Message, Part, TokenCounter } from "../core/types.ts";

/** The vocabularies that can be counted exactly. */
export type Encoding = "o200k_base" | "cl100k_base";

/** Pre-tokens that the piece cache remembers: characters in all, about 200,000 words. */
const PIECE_CHARS = 2_000_000;
/** Pre-tokens above this are rare and large: they get a cache of their own, so that they don't push the words out. */
const LONG_PIECE_CHARS = 256;
const LONG_PIECES_CHARS = 4_000_000;
/** V8 makes a substring of this length or more a view into its parent, which keeps the whole parent alive. */
const SUBSTRING_VIEW_CHARS = 13;

/** An exact counter that can also stop between the pieces of a text. */
export interface PatientCounter extends TokenCounter {
  /**
   * Counts a text with a pause every few milliseconds. `count` knows it from then on, and that of a long text at least for as long
   * as `owner`, which holds it, lives.
   */
  countFor(owner: object, text: string, pause: Pause): Promise<number>;
}

const loading = new Map<Encoding, Promise<PatientCounter>>();
const loaded = new Set<Encoding>();

/**
 * The exact tokenizer of OpenAI's models, loaded on first use and shared by everyone who asks for the same encoding.
 *
 * Text that looks like a special token (`<|endoftext|>`) counts as ordinary text. A text that was counted before costs
 * one Map lookup.
 *
 * Counts are exact as long as no single pre-token (a word, a run of spaces, a rule of `=`) has more than 16,384
 * characters, and a long text has a space, a line break, a digit or a punctuation mark beside a word that often. What is
 * longer is cut, so that any input takes time proportional to its length. A cut changes the count by at most 8 tokens
 * (5 is the most that was found), mostly by none.
 *
 * @example
 * const counter = await exactCounter("o200k_base");
 * counter.count("Hello, world!"); // 4
 */
export function exactCounter(encoding: Encoding): Promise<TokenCounter> {
  return patientCounter(encoding);
}

/** The very same counter, for those who count long texts and have other things to do. */
export function patientCounter(encoding: Encoding): Promise<PatientCounter> {
  const known = loading.get(encoding);
  if (known) return known;
  const counter = load(encoding).then((vocabulary) => createExactCounter(encoding, vocabulary));
  loading.set(encoding, counter);
  counter.then(
    () => loaded.add(encoding),
    // A failed download (a bundle's lazy file) must not stick.
    () => loading.delete(encoding),
  );
  return counter;
}

/** True once somebody has loaded the tokenizer. */
export function isLoaded(encoding: Encoding): boolean {
  return loaded.has(encoding);
}

/** Literal import specifiers, so that bundlers make a lazy file of each vocabulary. */
async function load(encoding: Encoding): Promise<Vocabulary> {
  const { default: text } =
    encoding === "o200k_base"
      ? await import("./vocabularies/o200k_base.ts")
      : await import("./vocabularies/cl100k_base.ts");
  return readVocabulary(text);
}

function createExactCounter(id: Encoding, vocabulary: Vocabulary): PatientCounter {
  const countPiece = createBpe(vocabulary);
  const pieces = createRecentMap<number>(PIECE_CHARS);
  const longPieces = createRecentMap<number>(LONG_PIECES_CHARS);
  const texts = createTextMemo<number>();
  const pattern = new RegExp(SPLIT_PATTERNS[id], "gu");

  const pieceTokens = (piece: string): number => {
    const cache = piece.length > LONG_PIECE_CHARS ? longPieces : pieces;
    const known = cache.get(piece);
    if (known !== undefined) return known;
    const tokens = countPiece(piece);
    cache.set(detach(piece), tokens);
    return tokens;
  };

  const countRegion = (text: string): number => {
    let tokens = 0;
    let start = 0;
    pattern.lastIndex = 0;
    // The alternatives of the pattern cover every character, so each match starts where the last one ended.
    while (pattern.test(text)) {
      const end = pattern.lastIndex;
      while (end - start > MAX_PIECE_CHARS) {
        const cut = cutBefore(text, start + MAX_PIECE_CHARS);
        tokens += pieceTokens(text.slice(start, cut));
        start = cut;
      }
      tokens += pieceTokens(text.slice(start, end));
      start = end;
    }
    return tokens;
  };

  const knownCount = (text: string): number | undefined => (text === "" ? 0 : texts.get(text));

  return {
    id,
    count(text) {
      const known = knownCount(text);
      if (known !== undefined) return known;
      let tokens = 0;
      for (let from = 0, to = 0; from < text.length; from = to) {
        to = regionEnd(text, from);
        tokens += countRegion(text.slice(from, to));
      }
      texts.set(text, tokens);
      return tokens;
    },
    async countFor(owner, text, pause) {
      let tokens = knownCount(text);
      if (tokens === undefined) {
        tokens = 0;
        for (let from = 0, to = 0; from < text.length; from = to) {
          to = regionEnd(text, from);
          tokens += countRegion(text.slice(from, to));
          await pause();
        }
      }
      texts.set(text, tokens, owner);
      return tokens;
    },
  };
}

/** A copy that doesn't keep the text alive from which the piece was cut. */
function detach(piece: string): string {
  if (piece.length < SUBSTRING_VIEW_CHARS) return piece;
  const units: number[] = [];
  for (let i = 0; i < piece.length; i++) units.push(piece.charCodeAt(i));
  return String.fromCharCode(...units);
}

/** Counts the long texts of a message with pauses, where its counter can do that: `measure.message` knows them from then on. */
export async function countLongTexts(
  { counter }: Pick<Measure, "counter">,
  message: Message,
  pause: Pause,
  /** What holds its texts: their counts are known for at least as long. */
  owner: object = message,
): Promise<void> {
  if (!("countFor" in counter)) return;
  for (const part of message.parts) {
    const text = countedText(part);
    if (text !== undefined && text.length > LONG_CHARS)
      await (counter as PatientCounter).countFor(owner, text, pause);
  }
}

/** What of a part is counted as a text. */
function countedText(part: Part): string | undefined {
  switch (part.type) {
    case "tool-call":
      return part.args;
    case "other":
      return part.json;
    case "image":
    case "frame":
      return undefined;
    default:
      return part.text;
  }
}

/**
 * Where the region that starts at `from` ends: at the last place of its second half that is surely between two pre-tokens.
 * A text of half a region without any such place is cut where the region is full.
 */
function regionEnd(text: string, from: number): number {
  const limit = from + LONG_CHARS;
  if (text.length <= limit) return text.length;
  for (let at = limit; at > from + LONG_CHARS / 2; at--) if (isSurelyBetween(text, at)) return at;
  return cutBefore(text, limit);
}

const SPACE = 0x20;
const LINE_BREAK = 0x0a;
const APOSTROPHE = 0x27;
const WHITE_SPACE = /\s/u;
/** A line break takes slashes behind it along, and white space on both sides. */
const GOES_ON_BEHIND_LINE = /[\s/]/u;
const LETTER = /\p{L}/u;
const DIGIT = /\p{N}/u;
const SIGN = /[\p{P}\p{S}]/u;

/** Does every pattern of `SPLIT_PATTERNS` cut the text before this place, whatever else it holds? */
function isSurelyBetween(text: string, at: number): boolean {
  const next = text.charCodeAt(at);
  const before = text.charCodeAt(at - 1);
  // A space only begins pre-tokens, or stands among other white space.
  if (next === SPACE) return !WHITE_SPACE.test(text.charAt(at - 1));
  if (before === LINE_BREAK) return !GOES_ON_BEHIND_LINE.test(text.charAt(at));
  if (next === APOSTROPHE || isLowSurrogate(next) || isLowSurrogate(before)) return false;
  // Words, numbers and signs don't mix, but for one sign before a word and a contraction behind it.
  if (isWord(next)) return isNumber(before);
  if (isNumber(next)) return isWord(before);
  return SIGN.test(String.fromCodePoint(text.codePointAt(at)!)) && (isWord(before) || isNumber(before));
}

function isWord(unit: number): boolean {
  if (unit < 0x80) return (unit | 0x20) >= 0x61 && (unit | 0x20) <= 0x7a;
  return LETTER.test(String.fromCharCode(unit));
}

function isNumber(unit: number): boolean {
  return unit < 0x80 ? unit >= 0x30 && unit <= 0x39 : DIGIT.test(String.fromCharCode(unit));
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** Byte-pair merging of one pre-token, written for counting: no token ids, no garbage but the looked-up substrings. */

/** Longest piece, in UTF-16 units, that a counter made by `createBpe` accepts. Its caller cuts longer ones. */
const MAX_PIECE_CHARS = 16_384;
/** UTF-8 needs at most three bytes per UTF-16 unit. */
const MAX_PIECE_BYTES = MAX_PIECE_CHARS * 3;
/** A merge candidate is one number, `rank × POSITIONS + position`: the smallest is the lowest rank, leftmost first. */
const POSITIONS = 65_536;
/** Rank of a pair that isn't in the vocabulary. */
const NO_RANK = 0x7fffffff;
/** Pairs of bytes are looked up in a table of 256 × 256 ranks instead of a Map. */
const BYTES = 256;
/** First code unit that isn't ASCII. */
const ASCII_END = 128;

/**
 * Returns a function that counts the tokens of one pre-token of at most `MAX_PIECE_CHARS` UTF-16 units, in
 * O(n log n). Lone surrogates count as U+FFFD, which is what leaves on the wire.
 */
export function createBpe(vocabulary: Vocabulary): (piece: string) => number {
  // Tokens that are whole characters are found by their text; the others by their bytes, one UTF-16 unit per byte.
  const byText = new Map<string, number>();
  const byBytes = new Map<string, number>();
  const pairs = new Int32Array(BYTES * BYTES).fill(NO_RANK);
  const utf8 = new TextEncoder();
  vocabulary.forEach((token, rank) => {
    if (typeof token === "string") byText.set(token, rank);
    else byBytes.set(String.fromCharCode(...token), rank);
    if (token.length > 2) return;
    const [first, second, third] = typeof token === "string" ? utf8.encode(token) : token;
    if (first !== undefined && second !== undefined && third === undefined)
      pairs[first * BYTES + second] = rank;
  });

  const bytes = new Uint8Array(MAX_PIECE_BYTES);
  /** Byte offset → UTF-16 offset, −1 inside a character. */
  const charAt = new Int32Array(MAX_PIECE_BYTES + 1);
  const merge = createMerge();

  const countAscii = (piece: string): number =>
    merge(piece.length, (from, to) =>
      to - from === 2
        ? (pairs[piece.charCodeAt(from) * BYTES + piece.charCodeAt(from + 1)] as number)
        : (byText.get(piece.slice(from, to)) ?? NO_RANK),
    );

  const countUnicode = (piece: string): number => {
    const text = piece.toWellFormed();
    const { written } = utf8.encodeInto(text, bytes);
    charAt.fill(-1, 0, written + 1);
    let binary = "";
    let char = 0;
    for (let i = 0; i < written; i++) {
      const byte = bytes[i] as number;
      binary += String.fromCharCode(byte);
      if ((byte & 0xc0) === 0x80) continue;
      charAt[i] = char;
      char += byte >= 0xf0 ? 2 : 1;
    }
    charAt[written] = char;
    return merge(written, (from, to) => {
      if (to - from === 2)
        return pairs[(bytes[from] as number) * BYTES + (bytes[from + 1] as number)] as number;
      const first = charAt[from] as number;
      const last = charAt[to] as number;
      const whole = first >= 0 && last >= 0;
      return (whole ? byText.get(text.slice(first, last)) : byBytes.get(binary.slice(from, to))) ?? NO_RANK;
    });
  };

  return (piece) => {
    if (byText.has(piece)) return 1;
    for (let i = 0; i < piece.length; i++) if (piece.charCodeAt(i) >= ASCII_END) return countUnicode(piece);
    return countAscii(piece);
  };
}

/**
 * Returns a function that merges `length` one-byte parts, lowest rank first, leftmost first, and tells how many are
 * left. `rankOf(from, to)` is the rank of those bytes as one token.
 */
function createMerge(): (length: number, rankOf: (from: number, to: number) => number) => number {
  /** Parts as a linked list over byte offsets: where the next part starts, where the previous one does. */
  const next = new Int32Array(MAX_PIECE_BYTES + 2);
  const previous = new Int32Array(MAX_PIECE_BYTES + 2);
  /** Rank of the merge of the part at an offset with the one after it; −1 where no part starts any more. */
  const rankAt = new Int32Array(MAX_PIECE_BYTES + 2);
  /** Binary min-heap of candidates. Outdated ones stay in it and are skipped when they come up. */
  const heap = new Float64Array(MAX_PIECE_BYTES * 3 + 2);
  let size = 0;

  const push = (candidate: number): void => {
    let at = size++;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent] as number;
      if (above <= candidate) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = candidate;
  };

  const pop = (): number => {
    const top = heap[0] as number;
    const last = heap[--size] as number;
    let at = 0;
    for (;;) {
      let child = at * 2 + 1;
      if (child >= size) break;
      if (child + 1 < size && (heap[child + 1] as number) < (heap[child] as number)) child++;
      if ((heap[child] as number) >= last) break;
      heap[at] = heap[child] as number;
      at = child;
    }
    heap[at] = last;
    return top;
  };

  return (length, rankOf) => {
    size = 0;
    const consider = (at: number): void => {
      const end = next[at] as number;
      const rank = end < length ? rankOf(at, next[end] as number) : NO_RANK;
      rankAt[at] = rank;
      if (rank !== NO_RANK) push(rank * POSITIONS + at);
    };
    for (let i = 0; i <= length; i++) {
      next[i] = i + 1;
      previous[i] = i - 1;
    }
    for (let i = 0; i < length; i++) consider(i);

    let parts = length;
    while (size > 0) {
      const candidate = pop();
      const at = candidate % POSITIONS;
      if (rankAt[at] !== (candidate - at) / POSITIONS) continue;
      const gone = next[at] as number;
      const end = next[gone] as number;
      next[at] = end;
      previous[end] = at;
      rankAt[gone] = -1;
      parts--;
      consider(at);
      if (at > 0) consider(previous[at] as number);
    }
    return parts;
  };
}

/** Stands between two tokens of a vocabulary's text. */
const SEPARATOR = "\x7f";
/** Byte b of a token that isn't text stands there as this + b: the second half of a surrogate pair, which no text begins with. */
const FIRST_BYTE = 0xdc00;
const LAST_BYTE = FIRST_BYTE + 0xff;

/** A vocabulary: index = rank; bytes where the token isn't text. */
export type Vocabulary = readonly (string | readonly number[])[];

/** Reads what `scripts/make-vocabularies.ts` wrote. */
export function readVocabulary(text: string): Vocabulary {
  return text.split(SEPARATOR).map((token) => (isBytes(token) ? bytesOf(token) : token));
}

function isBytes(token: string): boolean {
  const first = token.charCodeAt(0);
  return first >= FIRST_BYTE && first <= LAST_BYTE;
}

function bytesOf(token: string): number[] {
  return Array.from({ length: token.length }, (_, at) => token.charCodeAt(at) - FIRST_BYTE);
}

/** How OpenAI's tokenizers cut a text into pre-tokens, which no token crosses. Published with tiktoken under the MIT licence. */

const CONTRACTION = "'(?:[sS]|[dD]|[mM]|[tT]|[lL][lL]|[vV][eE]|[rR][eE])";
const UPPER = String.raw`[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`;
const LOWER = String.raw`[\p{Ll}\p{Lm}\p{Lo}\p{M}]`;
const BEFORE_WORD = String.raw`[^\r\n\p{L}\p{N}]?`;
const NUMBER = String.raw`\p{N}{1,3}`;

/** The pattern of each encoding. Its alternatives cover every character. */
export const SPLIT_PATTERNS = {
  o200k_base: [
    `${BEFORE_WORD}${UPPER}*${LOWER}+(?:${CONTRACTION})?`,
    `${BEFORE_WORD}${UPPER}+${LOWER}*(?:${CONTRACTION})?`,
    NUMBER,
    String.raw` ?[^\s\p{L}\p{N}]+[\r\n/]*`,
    String.raw`\s*[\r\n]+`,
    String.raw`\s+(?!\S)`,
    String.raw`\s+`,
  ].join("|"),
  cl100k_base: [
    CONTRACTION,
    String.raw`${BEFORE_WORD}\p{L}+`,
    NUMBER,
    String.raw` ?[^\s\p{L}\p{N}]+[\r\n]*`,
    String.raw`\s+$`,
    String.raw`\s*[\r\n]`,
    String.raw`\s+(?!\S)`,
    String.raw`\s`,
  ].join("|"),
} as const;
