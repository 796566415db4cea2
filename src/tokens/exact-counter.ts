import { createHeldTexts, HELD_FROM_CHARS } from "../core/held-texts.ts";
import type { Pause } from "../core/pause.ts";
import { cutBefore } from "../core/text-slices.ts";
import type { Measure, Message, Part, TokenCounter } from "../core/types.ts";
import { createBpe, MAX_PIECE_CHARS } from "./bpe.ts";
import { readVocabulary, type Vocabulary } from "./read-vocabulary.ts";
import { createRecentMap } from "./recent-map.ts";
import { regionEnd } from "./region-end.ts";
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
  const texts = createRecentMap<number>(MEMO_CHARS);
  const heldTexts = createHeldTexts<number>();
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

  const knownCount = (text: string): number | undefined => {
    if (text === "") return 0;
    return texts.get(text) ?? (text.length > HELD_FROM_CHARS ? heldTexts.get(text) : undefined);
  };

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
      texts.set(text, tokens);
      // The memo has no room for the longest, and forgets others soon.
      if (text.length > HELD_FROM_CHARS) heldTexts.hold(owner, text, tokens);
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

/** Shorter texts are counted at once (characters). */
const LONG_TEXT_CHARS = 32_768;

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
    if (text !== undefined && text.length > LONG_TEXT_CHARS)
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
