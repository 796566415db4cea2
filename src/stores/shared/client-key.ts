import type { ClientKey, NewClientKey } from "../server-store/client-keys.ts";
import { cleanTitle } from "./clean-text.ts";

/** Marks a key as one of precis, so that people and secret scanners know it. */
const PREFIX = "precis_";
/** Random bytes of a key: beyond guessing, so a plain hash protects it. */
const KEY_BYTES = 32;
/** `lastUsedAt` is written at most this often. */
const LAST_USED_ACCURACY_MS = 60_000;

/** Makes a key, with what is stored of it. */
export async function newClientKey(
  { name, limits = {}, expiresAt }: NewClientKey,
  of: Pick<ClientKey, "id" | "tenant" | "createdAt">,
): Promise<{ readonly key: string; readonly hash: string; readonly clientKey: ClientKey }> {
  const key = PREFIX + hex(crypto.getRandomValues(new Uint8Array(KEY_BYTES)));
  const clientKey = {
    ...of,
    name: cleanTitle(name),
    limits,
    expiresAt: expiresAt === undefined ? undefined : Math.round(expiresAt),
    revokedAt: undefined,
    lastUsedAt: undefined,
  };
  return { key, hash: await hashClientKey(key), clientKey };
}

/** A key that is shown, with the time of that; the same object where it isn't worth writing. Undefined for one that no longer holds. */
export function shownKey(key: ClientKey | undefined, at: number): ClientKey | undefined {
  if (!key || key.revokedAt !== undefined || (key.expiresAt ?? Number.POSITIVE_INFINITY) <= at)
    return undefined;
  return at - (key.lastUsedAt ?? 0) < LAST_USED_ACCURACY_MS ? key : { ...key, lastUsedAt: at };
}

/** SHA-256, as it is stored. */
export async function hashClientKey(key: string): Promise<string> {
  return hex(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key))));
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
