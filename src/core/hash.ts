import { HEX_DIGITS } from "./hex-digits.ts";

/**
 * Content addresses: MurmurHash3 x86/128 over UTF-16 code units. Not cryptographic, and it needn't be: a collision
 * can only be made inside one tenant's own conversations, and 128 bits leave accidents out of account.
 * Synchronous and free of dependencies, because it runs on every message in Node, edge and browser builds alike.
 */
export function hash128(text: string): string {
  once.fill(0);
  absorbInto(once, text);
  return digestOf(once);
}

/** Of a text in one piece. */
const once = new Int32Array(4);

/** A hash that takes its text in pieces. Where the pieces end is part of what is hashed. */
export interface Hash {
  absorb(text: string): Hash;
  /** The hash of all pieces so far; more may follow. */
  digest(): string;
  /** A hash of its own with the same pieces so far. */
  copy(): Hash;
}

const C1 = 0x239b961b;
const C2 = 0xab0e9789;
const C3 = 0x38b34ae5;
const C4 = 0xa1e38b93;

export function createHash(): Hash {
  return new GrowingHash([0, 0, 0, 0]);
}

/** A class, because every request has some of them. */
class GrowingHash implements Hash {
  readonly #state: Int32Array;

  constructor(state: ArrayLike<number>) {
    this.#state = new Int32Array(state);
  }

  absorb(text: string): Hash {
    absorbInto(this.#state, text);
    return this;
  }

  digest(): string {
    return digestOf(this.#state);
  }

  copy(): Hash {
    return new GrowingHash(this.#state);
  }
}

function absorbInto(state: Int32Array, text: string): void {
  for (let at = 0; ; at += READ_CHARACTERS) {
    const isLast = at + READ_CHARACTERS >= text.length;
    readUnits(text, at);
    mix(state, isLast ? text.length - at : READ_CHARACTERS);
    if (isLast) break;
  }
  end(state, text.length);
}

function digestOf(state: Int32Array): string {
  let d1 = finish(state[0]!);
  let d2 = finish(state[1]!);
  let d3 = finish(state[2]!);
  let d4 = finish(state[3]!);
  d1 = (d1 + d2 + d3 + d4) | 0;
  d2 = (d2 + d1) | 0;
  d3 = (d3 + d1) | 0;
  d4 = (d4 + d1) | 0;
  return hex(d1, d2, d3, d4);
}

/** Mixes code units in, eight at a time; the rest as if they were filled up with zeros. */
function mix(state: Int32Array, length: number): void {
  let h1 = state[0]!;
  let h2 = state[1]!;
  let h3 = state[2]!;
  let h4 = state[3]!;
  const blocks = length - (length % 8);
  let i = 0;
  for (; i < blocks; i += 8) {
    let k1 = units[i]! | (units[i + 1]! << 16);
    let k2 = units[i + 2]! | (units[i + 3]! << 16);
    let k3 = units[i + 4]! | (units[i + 5]! << 16);
    let k4 = units[i + 6]! | (units[i + 7]! << 16);
    k1 = Math.imul(k1, C1);
    k1 = (k1 << 15) | (k1 >>> 17);
    h1 ^= Math.imul(k1, C2);
    h1 = ((h1 << 19) | (h1 >>> 13)) + h2;
    h1 = (Math.imul(h1, 5) + 0x561ccd1b) | 0;
    k2 = Math.imul(k2, C2);
    k2 = (k2 << 16) | (k2 >>> 16);
    h2 ^= Math.imul(k2, C3);
    h2 = ((h2 << 17) | (h2 >>> 15)) + h3;
    h2 = (Math.imul(h2, 5) + 0x0bcaa747) | 0;
    k3 = Math.imul(k3, C3);
    k3 = (k3 << 17) | (k3 >>> 15);
    h3 ^= Math.imul(k3, C4);
    h3 = ((h3 << 15) | (h3 >>> 17)) + h4;
    h3 = (Math.imul(h3, 5) + 0x96cd1c35) | 0;
    k4 = Math.imul(k4, C4);
    k4 = (k4 << 18) | (k4 >>> 14);
    h4 ^= Math.imul(k4, C1);
    h4 = ((h4 << 13) | (h4 >>> 19)) + h1;
    h4 = (Math.imul(h4, 5) + 0x32ac3b17) | 0;
  }
  if (i < length) {
    const rest = (index: number) => (index < length ? units[index]! : 0);
    const k1 = rest(i) | (rest(i + 1) << 16);
    const k2 = rest(i + 2) | (rest(i + 3) << 16);
    const k3 = rest(i + 4) | (rest(i + 5) << 16);
    const k4 = rest(i + 6);
    h4 ^= Math.imul(rotate(Math.imul(k4, C4), 18), C1);
    h3 ^= Math.imul(rotate(Math.imul(k3, C3), 17), C4);
    h2 ^= Math.imul(rotate(Math.imul(k2, C2), 16), C3);
    h1 ^= Math.imul(rotate(Math.imul(k1, C1), 15), C2);
  }
  state[0] = h1;
  state[1] = h2;
  state[2] = h3;
  state[3] = h4;
}

/** The length tells a text from one that ends in zeros. */
function end(state: Int32Array, length: number): void {
  const bytes = length * 2;
  const h1 = (state[0]! ^ bytes) + (state[1]! ^ bytes) + (state[2]! ^ bytes) + (state[3]! ^ bytes);
  state[1] = (state[1]! ^ bytes) + h1;
  state[2] = (state[2]! ^ bytes) + h1;
  state[3] = (state[3]! ^ bytes) + h1;
  state[0] = h1;
}

/** Characters that are read at once. A multiple of eight, and few: one sign that is not ASCII slows only these down. */
const READ_CHARACTERS = 4_096;
/** Shorter texts are read character by character at once. */
const ENCODE_FROM = 64;
const bytes = new Uint8Array(READ_CHARACTERS);
const units = new Uint16Array(READ_CHARACTERS);
const encoder = new TextEncoder();

/**
 * Reads the code units of a text from `at` on. Plain ASCII is encoded as a whole, which takes less than half as long as
 * reading its characters one by one.
 */
function readUnits(text: string, at: number): void {
  const stop = Math.min(text.length, at + READ_CHARACTERS);
  if (stop - at >= ENCODE_FROM) {
    const piece = at === 0 && stop === text.length ? text : text.slice(at, stop);
    const { read, written } = encoder.encodeInto(piece, bytes);
    if (read === piece.length && written === read) {
      units.set(bytes.subarray(0, read));
      return;
    }
  }
  for (let i = at; i < stop; i++) units[i - at] = text.charCodeAt(i);
}

function rotate(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}

function finish(h: number): number {
  h ^= h >>> 16;
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return h ^ (h >>> 16);
}

/** Of a whole digest at once: put together from pieces it took twice as long, and ten times the memory. */
function hex(a: number, b: number, c: number, d: number): string {
  // biome-ignore format: one line for each word.
  return String.fromCharCode(
    digit(a, 28), digit(a, 24), digit(a, 20), digit(a, 16), digit(a, 12), digit(a, 8), digit(a, 4), digit(a, 0),
    digit(b, 28), digit(b, 24), digit(b, 20), digit(b, 16), digit(b, 12), digit(b, 8), digit(b, 4), digit(b, 0),
    digit(c, 28), digit(c, 24), digit(c, 20), digit(c, 16), digit(c, 12), digit(c, 8), digit(c, 4), digit(c, 0),
    digit(d, 28), digit(d, 24), digit(d, 20), digit(d, 16), digit(d, 12), digit(d, 8), digit(d, 4), digit(d, 0),
  );
}

function digit(word: number, shift: number): number {
  return HEX_DIGITS[(word >>> shift) & 15]!;
}

/** Characters of text whose hashes are remembered; enough for a transcript of several million tokens. */
const DEFAULT_MEMO_CHARACTERS = 32_000_000;
/** Below this length hashing is as fast as looking it up. */
const MEMO_FROM_CHARACTERS = 48;

/**
 * A memoised `hash128`. A text seen before costs one map lookup (the engine hashes strings natively), which is what
 * makes a long transcript cheap on every call after the first.
 */
export function createTextHash(maxCharacters = DEFAULT_MEMO_CHARACTERS): (text: string) => string {
  let memo = new Map<string, string>();
  let older = new Map<string, string>();
  let characters = 0;
  return (text) => {
    if (text.length < MEMO_FROM_CHARACTERS) return hash128(text);
    const known = memo.get(text);
    if (known !== undefined) return known;
    const hash = older.get(text) ?? hash128(text);
    // Two generations instead of a linked list: what wasn't asked for during one generation is forgotten.
    if (characters + text.length > maxCharacters / 2 && memo.size > 0) {
      older = memo;
      memo = new Map();
      characters = 0;
    }
    memo.set(text, hash);
    characters += text.length;
    return hash;
  };
}
