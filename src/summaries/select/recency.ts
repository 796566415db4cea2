/** Age at which recency has clearly begun to fade (characters). */
const SCALE = 2_000;
/** Brings a transcript of some hundred thousand characters to about −1. */
const SPAN = 6;
/** For what has never been: as old as the oldest. */
export const NEVER = -1;

/** How recent something is: 0 for the newest, about −1 for the oldest, falling fast at first. */
export function recency(age: number): number {
  return -Math.log1p(age / SCALE) / SPAN;
}
