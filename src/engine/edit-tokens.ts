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
  const memo = new Map<string, number>();
  return (measure, checkpoint) => {
    // Another calibration, other numbers.
    if (counted !== measure || memo.size > MAX_ENTRIES) memo.clear();
    counted = measure;
    return (message, count) => {
      const key = `${checkpoint} ${message}`;
      const known = memo.get(key) ?? count();
      memo.set(key, known);
      return known;
    };
  };
}
