import { contentHash } from "./hash.ts";

/** What shows that a summary's text is the one that was written. */
export function summaryProof(key: string, text: string, notes?: string): string {
  return contentHash(notes === undefined ? `${key}\n${text}` : `${key}\n${text}\n${notes}`);
}
