import { contentHash } from "../../core/hash.ts";
import { redactSecrets } from "../compaction/redact-secrets.ts";

/** Ids of answers as every provider makes them. */
const PLAIN = /^[\x21-\x7e]{1,200}$/;

/** What an answer is found by in the store: its id, or a hash of one that the store can't hold or that looks like a secret. */
export function answerKey(id: string): string {
  return PLAIN.test(id) && redactSecrets(id) === id ? id : `hash:${contentHash(id)}`;
}
