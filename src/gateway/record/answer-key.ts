import { hash128 } from "../../core/hash.ts";
import { redactSecrets } from "./redact-secrets.ts";

/** Ids of answers as every provider makes them. */
const PLAIN = /^[\x21-\x7e]{1,200}$/;

/**
 * What an answer is found by in the store: its id. One that the store can't hold (some servers put a whole address into it),
 * and one that looks like a secret, is found by its hash.
 */
export function answerKey(id: string): string {
  return PLAIN.test(id) && redactSecrets(id) === id ? id : `hash:${hash128(id)}`;
}
