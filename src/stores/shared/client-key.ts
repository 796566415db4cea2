/** Marks a key as one of precis, so that people and secret scanners know it. */
const PREFIX = "precis_";
/** Random bytes of a key: beyond guessing, so a plain hash protects it. */
const KEY_BYTES = 32;
/** `lastUsedAt` is written at most this often. */
export const LAST_USED_ACCURACY_MS = 60_000;

export function newClientKey(): string {
  return PREFIX + hex(crypto.getRandomValues(new Uint8Array(KEY_BYTES)));
}

/** SHA-256, as it is stored. */
export async function hashClientKey(key: string): Promise<string> {
  return hex(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key))));
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
