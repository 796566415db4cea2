import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import type { Sha256 } from "./sha256.ts";

/** SHA-256 in JavaScript, for runtimes that have no synchronous one of their own: browsers, workers, edge. */
export const portableSha256: Sha256 = {
  digest: (text) => base64url(sha256(encoder.encode(text))),
  begin() {
    const growing = sha256.create();
    return {
      add: (piece) => void growing.update(encoder.encode(piece)),
      digest: () => base64url(growing.digest()),
    };
  },
  keyed: (key, text) => base64url(hmac(sha256, encoder.encode(key), encoder.encode(text))),
};

const encoder = new TextEncoder();

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "");
}
