import type { Measure } from "../core/types.ts";

/** Edited messages whose tokens are remembered. */
const MAX_ENTRIES = 20_000;

/** For one checkpoint: the tokens of its edited messages, counted once. */
export type EditTokens = (
  measure: Measure,
  checkpoint: string,
) => (message: string, count: () => number) => number;

/**
 * A checkpoint never changes, so neither do the messages that it edits; except that a client may drop reasoning from
 * them, so a message is named by its place and by the numbers of its edits and parts.
 */
export function createEditTokens(): EditTokens {
  let counted: Measure | undefined;
  /** By checkpoint, then by message: a key of both would be put together and read for every message of every view. */
  const memo = new Map<string, Map<string, number>>();
  let size = 0;
  return (measure, checkpoint) => {
    // Another calibration, other numbers.
    if (counted !== measure || size > MAX_ENTRIES) {
      memo.clear();
      size = 0;
    }
    counted = measure;
    const messages = memo.get(checkpoint) ?? new Map<string, number>();
    memo.set(checkpoint, messages);
    return (message, count) => {
      const known = messages.get(message);
      if (known !== undefined) return known;
      const tokens = count();
      messages.set(message, tokens);
      size++;
      return tokens;
    };
  };
}
