/**
 * The hash of version 1: MurmurHash3 x86/128 over UTF-16 code units. Whoever likes can make a second text with the same
 * one, so nothing is named by it any more; it is here to read what older versions wrote, and for nothing else.
 */
export function legacyHash(text: string): string {
  return new LegacyHash().absorb(text).digest();
}

const C1 = 0x239b961b;
const C2 = 0xab0e9789;
const C3 = 0x38b34ae5;
const C4 = 0xa1e38b93;
/** Code units that are mixed in at once. */
const BLOCK = 8;

/** A hash that takes its text in pieces. Where the pieces end is part of what is hashed. */
export class LegacyHash {
  #h1 = 0;
  #h2 = 0;
  #h3 = 0;
  #h4 = 0;

  absorb(text: string): this {
    const whole = text.length - (text.length % BLOCK);
    for (let at = 0; at < whole; at += BLOCK) this.#mix(text, at);
    if (whole < text.length) this.#mixRest(text, whole);
    // The length tells a text from one that ends in zeros.
    const bytes = text.length * 2;
    const h1 = (this.#h1 ^ bytes) + (this.#h2 ^ bytes) + (this.#h3 ^ bytes) + (this.#h4 ^ bytes);
    this.#h2 = ((this.#h2 ^ bytes) + h1) | 0;
    this.#h3 = ((this.#h3 ^ bytes) + h1) | 0;
    this.#h4 = ((this.#h4 ^ bytes) + h1) | 0;
    this.#h1 = h1 | 0;
    return this;
  }

  /** The hash of all pieces so far; more may follow. */
  digest(): string {
    const d2 = finish(this.#h2);
    const d3 = finish(this.#h3);
    const d4 = finish(this.#h4);
    const d1 = (finish(this.#h1) + d2 + d3 + d4) | 0;
    return [d1, d2 + d1, d3 + d1, d4 + d1].map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
  }

  #mix(text: string, at: number): void {
    this.#h1 ^= scramble(pair(text, at), C1, 15, C2);
    this.#h1 = (Math.imul(rotate(this.#h1, 19) + this.#h2, 5) + 0x561ccd1b) | 0;
    this.#h2 ^= scramble(pair(text, at + 2), C2, 16, C3);
    this.#h2 = (Math.imul(rotate(this.#h2, 17) + this.#h3, 5) + 0x0bcaa747) | 0;
    this.#h3 ^= scramble(pair(text, at + 4), C3, 17, C4);
    this.#h3 = (Math.imul(rotate(this.#h3, 15) + this.#h4, 5) + 0x96cd1c35) | 0;
    this.#h4 ^= scramble(pair(text, at + 6), C4, 18, C1);
    this.#h4 = (Math.imul(rotate(this.#h4, 13) + this.#h1, 5) + 0x32ac3b17) | 0;
  }

  /** Less than a block, as if it were filled up with zeros. */
  #mixRest(text: string, at: number): void {
    this.#h4 ^= scramble(unit(text, at + 6), C4, 18, C1);
    this.#h3 ^= scramble(pair(text, at + 4), C3, 17, C4);
    this.#h2 ^= scramble(pair(text, at + 2), C2, 16, C3);
    this.#h1 ^= scramble(pair(text, at), C1, 15, C2);
  }
}

function pair(text: string, at: number): number {
  return unit(text, at) | (unit(text, at + 1) << 16);
}

function unit(text: string, at: number): number {
  return at < text.length ? text.charCodeAt(at) : 0;
}

function scramble(word: number, before: number, bits: number, after: number): number {
  return Math.imul(rotate(Math.imul(word, before), bits), after);
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
