import { forgetOldest } from "../core/keep-newest.ts";

/** Texts that are remembered; a busier compactor forgets the oldest. */
const MAX_TEXTS = 4_096;

/** Knows the summary messages that this compactor wrote, so that one that comes back in a transcript can be told from an imitation. */
export interface WrittenTexts {
  add(text: string): void;
  has(text: string): boolean;
}

export function createWrittenTexts(textHash: (text: string) => string): WrittenTexts {
  const hashes = new Set<string>();
  return {
    add(text) {
      const hash = textHash(text);
      // The newest stand last.
      hashes.delete(hash);
      hashes.add(hash);
      forgetOldest(hashes, MAX_TEXTS);
    },
    has: (text) => hashes.has(textHash(text)),
  };
}
