import type { TokenCounter } from "../core/types.ts";
import { createBpe, MAX_PIECE_CHARS } from "./bpe.ts";
import { readVocabulary, type Vocabulary } from "./read-vocabulary.ts";
import { createRecentMap } from "./recent-map.ts";
import { SPLIT_PATTERNS } from "./split-patterns.ts";

/** The vocabularies that can be counted exactly. */
export type Encoding = "o200k_base" | "cl100k_base";

/** Texts that the memo of one encoding remembers: characters in all. A transcript of a million tokens has about 4 M. */
const MEMO_CHARS = 32_000_000;
/** Pre-tokens that the piece cache remembers: characters in all, about 200,000 words. */
const PIECE_CHARS = 2_000_000;
/** Pre-tokens above this are rare and large: they get a cache of their own, so that they don't push the words out. */
const LONG_PIECE_CHARS = 256;
const LONG_PIECES_CHARS = 4_000_000;
/** Longer texts are split region by region: V8's regular expressions run out of stack on runs of some million characters. */
const REGION_CHARS = 500_000;
/** V8 makes a substring of this length or more a view into its parent, which keeps the whole parent alive. */
const SUBSTRING_VIEW_CHARS = 13;

const loading = new Map<Encoding, Promise<TokenCounter>>();
const loaded = new Set<Encoding>();

/**
 * The exact tokenizer of OpenAI's models, loaded on first use and shared by everyone who asks for the same encoding.
 *
 * Text that looks like a special token (`<|endoftext|>`) counts as ordinary text. A text that was counted before costs
 * one Map lookup.
 *
 * Counts are exact as long as no single pre-token (a word, a run of spaces, a rule of `=`) has more than 16,384
 * characters. Longer ones are cut every 16,384 characters, so that any input takes time proportional to its length. A
 * cut changes the count by at most 8 tokens (5 is the most that was found), mostly by none.
 *
 * @example
 * const counter = await exactCounter("o200k_base");
 * counter.count("Hello, world!"); // 4
 */
export function exactCounter(encoding: Encoding): Promise<TokenCounter> {
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

function createExactCounter(id: Encoding, vocabulary: Vocabulary): TokenCounter {
  const countPiece = createBpe(vocabulary);
  const pieces = createRecentMap<number>(PIECE_CHARS);
  const longPieces = createRecentMap<number>(LONG_PIECES_CHARS);
  const texts = createRecentMap<number>(MEMO_CHARS);
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

  const countText = (text: string): number => {
    let tokens = 0;
    for (let from = 0; from < text.length; ) {
      const to = regionEnd(text, from);
      tokens += countRegion(text.slice(from, to));
      from = to;
    }
    return tokens;
  };

  return {
    id,
    count(text) {
      if (text === "") return 0;
      const known = texts.get(text);
      if (known !== undefined) return known;
      const tokens = countText(text);
      texts.set(text, tokens);
      return tokens;
    },
  };
}

/** Where the region that starts at `from` ends: after a line break where no pre-token goes on, if there is one. */
function regionEnd(text: string, from: number): number {
  const limit = from + REGION_CHARS;
  if (text.length <= limit) return text.length;
  for (let at = limit; at > from + REGION_CHARS / 2; at--) {
    at = text.lastIndexOf("\n", at);
    // No pre-token spans a line break that is followed by anything but white space or a slash.
    if (at > from && /[^\s/]/u.test(text.charAt(at + 1))) return at + 1;
  }
  return cutBefore(text, limit);
}

/** `index`, or one less where it would split a surrogate pair. */
function cutBefore(text: string, index: number): number {
  const unit = text.charCodeAt(index);
  return unit >= 0xdc00 && unit <= 0xdfff ? index - 1 : index;
}

/** A copy that doesn't keep the text alive from which the piece was cut. */
function detach(piece: string): string {
  if (piece.length < SUBSTRING_VIEW_CHARS) return piece;
  const units: number[] = [];
  for (let i = 0; i < piece.length; i++) units.push(piece.charCodeAt(i));
  return String.fromCharCode(...units);
}
