import { contentHash } from "../../core/hash.ts";
import { legacyHash } from "../../core/legacy/hash.ts";
import { redactSecrets } from "../compaction/redact-secrets.ts";

/** Ids of answers as every provider makes them. */
const PLAIN = /^[\x21-\x7e]{1,200}$/;

/** What an answer is found by in the store: its id, or a hash of one that the store can't hold or that looks like a secret. */
export function answerKey(id: string): string {
  return isPlain(id) ? id : `hash:${contentHash(id)}`;
}

/** All that it may be found by: what older versions wrote can't be hashed anew, because the id itself isn't stored. */
export function answerKeys(id: string): readonly string[] {
  return isPlain(id) ? [id] : [answerKey(id), `hash:${legacyHash(id)}`];
}

function isPlain(id: string): boolean {
  return PLAIN.test(id) && redactSecrets(id) === id;
}
