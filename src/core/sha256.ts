import { hmac } from "@noble/hashes/hmac.js";
import { sha256 as noble } from "@noble/hashes/sha2.js";

/**
 * The runtime's own SHA-256, if it has a synchronous one (Node, Bun, Deno, workers with Node's modules). It is asked for
 * while the program runs rather than imported: so the same file can be bundled for browsers, and no bundler has to know
 * which of two files it should take.
 */
export function nativeSha256(): Sha256 | undefined {
  const crypto = globalThis.process?.getBuiltinModule?.("node:crypto");
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
