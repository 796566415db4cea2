import { contentHash } from "./hash.ts";

/** What shows that a summary's text is the one that was written. */
export function summaryProof(key: string, text: string): string {
  return contentHash(`${key}\n${text}`);
}
