import type { Sha256 } from "./sha256.ts";

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
