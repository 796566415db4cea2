import { lastTrue } from "../last-true.ts";
import type { Steps } from "../steps.ts";
import type { PackedText } from "../types.ts";
import { isCount } from "./record-checks.ts";

/** Characters that are looked up at once. Copies shorter than about two of these aren't found. */
const BLOCK = 16;
/** A shorter copy takes as much space as the characters themselves (characters). */
const LEAST_COPY = 32;
/** Texts shorter than this aren't searched for copies (characters). */
const WORTH_PACKING = 128;
/** Of a longer source only the beginning is searched (characters): its index would take seconds to make and be larger than itself. */
const MOST_INDEXED = 500_000;
/** Factor of the rolling hash; odd, so that every character counts to the end. */
const FACTOR = 0x01000193;
const LEAVING = power(FACTOR, BLOCK - 1);

/** Finds copies of its sources in other texts. */
export type Packer = (text: string) => Steps<PackedText>;

/** The sources are read once, when the first text that is long enough comes. */
export function createPacker(sources: () => Steps<readonly string[]>): Packer {
  let blocks: BlockIndex | undefined;
  return function* (text) {
    if (text.length < WORTH_PACKING) return [text];
    blocks ??= yield* indexBlocks(yield* sources());
    return pack(text, blocks);
  };
}

/** The text that was packed; undefined where a copy points beside its source or the whole would be longer than `most`. */
export function unpackText(
  packed: PackedText,
  sourceAt: (source: number) => string | undefined,
  most: number,
): string | undefined {
  const pieces: string[] = [];
  let length = 0;
  for (let at = 0; at < packed.length; at++) {
    const piece = packed[at]!;
    if (typeof piece === "string") pieces.push(piece);
    else {
      const [from, size] = [packed[++at], packed[++at]];
      const source = sourceAt(piece);
      if (source === undefined || !isCount(from) || !isCount(size) || from + size > source.length)
        return undefined;
      pieces.push(source.slice(from, from + size));
    }
    length += pieces.at(-1)!.length;
    if (length > most) return undefined;
  }
  return pieces.join("");
}

/** Where each block of the sources stands: the table holds the number of a block, by its hash. */
interface BlockIndex {
  readonly sources: readonly string[];
  /** Number of the first block of each source, in ascending order. */
  readonly firstBlocks: Int32Array;
  readonly table: Int32Array;
  readonly mask: number;
}

function* indexBlocks(sources: readonly string[]): Steps<BlockIndex> {
  const firstBlocks = new Int32Array(sources.length);
  let count = 0;
  for (const [at, source] of sources.entries()) {
    firstBlocks[at] = count;
    count += Math.floor(indexedLength(source) / BLOCK);
  }
  const size = 2 ** Math.ceil(Math.log2(Math.max(2, count * 2)));
  const table = new Int32Array(size);
  const mask = size - 1;
  let block = 0;
  for (const source of sources) {
    for (let at = 0; at + BLOCK <= indexedLength(source); at += BLOCK) {
      const slot = spread(hashAt(source, at)) & mask;
      // The first of equal blocks stays: beginnings of messages make longer copies than their repetitions.
      if (table[slot] === 0) table[slot] = block + 1;
      block++;
    }
    yield;
  }
  return { sources, firstBlocks, table, mask };
}

function indexedLength(source: string): number {
  return Math.min(source.length, MOST_INDEXED);
}

function pack(text: string, { sources, firstBlocks, table, mask }: BlockIndex): PackedText {
  const packed: (string | number)[] = [];
  let literal = 0;
  let at = 0;
  let hash = hashAt(text, 0);
  while (at + BLOCK <= text.length) {
    const block = table[spread(hash) & mask]! - 1;
    const copy = block < 0 ? undefined : copyAround(text, at, literal, blockAt(block));
    if (copy) {
      if (copy.at > literal) packed.push(text.slice(literal, copy.at));
      packed.push(copy.source, copy.from, copy.size);
      literal = copy.at + copy.size;
      at = literal;
      if (at + BLOCK <= text.length) hash = hashAt(text, at);
    } else {
      if (at + BLOCK < text.length)
        hash =
          Math.imul(hash - Math.imul(text.charCodeAt(at), LEAVING), FACTOR) + text.charCodeAt(at + BLOCK);
      at++;
    }
  }
  if (literal < text.length) packed.push(text.slice(literal));
  return packed;

  function blockAt(block: number): { readonly source: number; readonly from: number } {
    const source = lastTrue(1, firstBlocks.length - 1, (at) => firstBlocks[at]! <= block);
    return { source, from: (block - firstBlocks[source]!) * BLOCK };
  }

  /** The longest copy through this place; undefined if there is none, or if it isn't worth it. */
  function copyAround(
    target: string,
    place: number,
    earliest: number,
    { source, from }: { readonly source: number; readonly from: number },
  ):
    | { readonly at: number; readonly source: number; readonly from: number; readonly size: number }
    | undefined {
    const original = sources[source]!;
    let after = 0;
    while (
      place + after < target.length &&
      from + after < original.length &&
      target.charCodeAt(place + after) === original.charCodeAt(from + after)
    )
      after++;
    if (after < BLOCK) return undefined;
    let before = 0;
    while (
      place - before > earliest &&
      from - before > 0 &&
      target.charCodeAt(place - before - 1) === original.charCodeAt(from - before - 1)
    )
      before++;
    const size = before + after;
    return size < LEAST_COPY ? undefined : { at: place - before, source, from: from - before, size };
  }
}

function hashAt(text: string, at: number): number {
  let hash = 0;
  for (let i = at; i < at + BLOCK; i++) hash = Math.imul(hash, FACTOR) + text.charCodeAt(i);
  return hash | 0;
}

/** The low bits of the hash depend on few characters: the high ones are mixed in. */
function spread(hash: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return mixed ^ (mixed >>> 13);
}

function power(base: number, exponent: number): number {
  let result = 1;
  for (let i = 0; i < exponent; i++) result = Math.imul(result, base);
  return result;
}
