import { hmac } from "@noble/hashes/hmac.js";
import { sha256 as noble } from "@noble/hashes/sha2.js";
import { createTextMemo } from "./collections.ts";
import { textSlices } from "./first-characters.ts";
import type { Pause } from "./pause.ts";

/**
 * Names a text by its content: SHA-256, 43 characters. Cryptographic, because text of strangers (a fetched page, a tool
 * result) is part of what is named, and nobody may be able to make a second text that goes by the name of the first.
 * All 256 bits are kept: who can choose both texts needs 2^128 attempts, and a shorter name would save little.
 */
export function contentHash(text: string): string {
  if (text.length < LONG_TEXT) return hashOf(text);
  const hash = longTexts.get(text) ?? hashOf(text);
  longTexts.set(text, hash);
  return hash;
}

const hashOf = (text: string): string => (text.isWellFormed() ? sha256.digest(text) : hashOfIllFormed(text));

/**
 * Texts from this length on are hashed by themselves and remembered. To look up a shorter one takes about as long as to
 * hash it, because V8 reads a key from end to end; of longer ones it takes the length, and compares.
 */
export const LONG_TEXT = 16_384;
const longTexts = createTextMemo<string>();
/** Characters that are hashed at once: some milliseconds of work. */
const PIECE_CHARS = 524_288;

/** Hashes a long text with pauses. `contentHash` knows it from then on, for as long as `owner`, which holds the text, lives. */
export async function hashFor(owner: object, text: string, pause: Pause): Promise<string> {
  if (text.length < LONG_TEXT) return hashOf(text);
  const hash = longTexts.get(text) ?? (await hashInPieces(text, pause));
  longTexts.set(text, hash, owner);
  return hash;
}

async function hashInPieces(text: string, pause: Pause): Promise<string> {
  const growing = sha256.begin();
  const isWellFormed = text.isWellFormed();
  if (!isWellFormed) growing.add('"');
  for (const slice of textSlices(text, PIECE_CHARS)) {
    growing.add(isWellFormed ? slice : JSON.stringify(slice).slice(1, -1));
    await pause();
  }
  if (!isWellFormed) growing.add('"');
  return isWellFormed ? growing.digest() : markIllFormed(growing.digest());
}

/** HMAC of a text: who doesn't have the key can neither make nor foresee it. */
export function keyedHash(key: string, text: string): string {
  return sha256.keyed(asWellFormed(key), asWellFormed(text));
}

/**
 * Half of a surrogate pair has no UTF-8: encoders write the same sign for every one of them. JSON writes each as its
 * number, and the dot, which base64url doesn't have, tells such a hash from that of a text which is that JSON.
 */
function hashOfIllFormed(text: string): string {
  return markIllFormed(sha256.digest(JSON.stringify(text)));
}

function markIllFormed(hash: string): string {
  return `.${hash.slice(1)}`;
}

/** With a sign before it that no well-formed text gets: what is signed is one text only. */
function asWellFormed(text: string): string {
  return text.isWellFormed() ? `t${text}` : `j${JSON.stringify(text)}`;
}

/** The first 24 bits of a hash as a share from 0 to 1, to spread what would otherwise happen at once. */
export function shareOf(hash: string): number {
  let bits = 0;
  for (const sign of hash.slice(0, SHARE_SIGNS)) bits = bits * BASE + Math.max(0, BASE64URL.indexOf(sign));
  return bits / (BASE ** SHARE_SIGNS - 1);
}

const BASE64URL = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const BASE = BASE64URL.length;
const SHARE_SIGNS = 4;

/** What of Node is used; its types aren't there where the page is built. */
interface NativeHost {
  readonly process?: { getBuiltinModule?(name: string): NativeCrypto };
}

interface NativeCrypto {
  hash(name: string, text: string, form: string): string;
  createHash(name: string): NativeHash;
  createHmac(name: string, key: string): NativeHash;
}

interface NativeHash {
  update(text: string): NativeHash;
  digest(form: string): string;
}

/**
 * The runtime's own SHA-256, if it has a synchronous one (Node, Bun, Deno, workers with Node's modules). It is asked for
 * while the program runs rather than imported: so the same file can be bundled for browsers, and no bundler has to know
 * which of two files it should take.
 */
export function nativeSha256(): Sha256 | undefined {
  const crypto = (globalThis as NativeHost).process?.getBuiltinModule?.("node:crypto");
  if (typeof crypto?.hash !== "function") return undefined;
  const { hash, createHash, createHmac } = crypto;
  return {
    digest: (text) => hash("sha256", text, "base64url"),
    begin() {
      const growing = createHash("sha256");
      return { add: (piece) => void growing.update(piece), digest: () => growing.digest("base64url") };
    },
    keyed: (key, text) => createHmac("sha256", key).update(text).digest("base64url"),
  };
}

/** SHA-256 in JavaScript, for runtimes that have no synchronous one of their own: browsers, workers, edge. */
export const portableSha256: Sha256 = {
  digest: (text) => base64url(noble(encoder.encode(text))),
  begin() {
    const growing = noble.create();
    return {
      add: (piece) => void growing.update(encoder.encode(piece)),
      digest: () => base64url(growing.digest()),
    };
  },
  keyed: (key, text) => base64url(hmac(noble, encoder.encode(key), encoder.encode(text))),
};

const encoder = new TextEncoder();

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "");
}

/** SHA-256 of the UTF-8 bytes of a text, as 43 characters of base64url. Every implementation gives the same. */
export interface Sha256 {
  digest(text: string): string;
  /** The same for a text that comes in pieces. Each must be well-formed. */
  begin(): { add(piece: string): void; digest(): string };
  /** HMAC: only who has the key can make it. */
  keyed(key: string, text: string): string;
}

export const sha256: Sha256 = nativeSha256() ?? portableSha256;
