import { contentHash } from "../../core/hash.ts";

/** Shorter system prompts stand for themselves (characters). */
const SHORT = 256;

/**
 * What is remembered of a conversation's system prompt, to see whether it changed. A hash, because thousands of
 * conversations may each have one of hundreds of kilobytes.
 */
export function createHeadMark(): (head: string) => string {
  let newest: { readonly head: string; readonly mark: string } | undefined;
  return (head) => {
    if (head.length <= SHORT) return head;
    // Mostly it is the same once more, and to compare two takes less than to hash one.
    if (newest?.head !== head) newest = { head, mark: contentHash(head) };
    return newest.mark;
  };
}
