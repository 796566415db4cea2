/** Byte-pair merging of one pre-token, written for counting: no token ids, no garbage but the looked-up substrings. */

import type { Vocabulary } from "./read-vocabulary.ts";

/** Longest piece, in UTF-16 units, that a counter made by `createBpe` accepts. Its caller cuts longer ones. */
export const MAX_PIECE_CHARS = 16_384;
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
