/**
 * When a compaction pays. Prices are in units of the input price; the formula and its check against recorded sessions
 * are in docs/decisions. Plan and replay share this function.
 */
export interface BreakEvenInput {
  /** Tokens of the view now, of the view after landing, and of the head (all without tools). */
  readonly view: number;
  readonly landing: number;
  readonly head: number;
  /** Prices of a cached read, a cache write and an output token. */
  readonly read: number;
  readonly write: number;
  readonly output: number;
  /** The prompt cache has expired: the whole view must be written anyway. */
  readonly cold: boolean;
  /** Tokens that a model-written summary will have; 0 without a model. */
  readonly summary: number;
  /** Share of requests that find a cold cache. */
  readonly coldShare?: number;
}

/** Instruction tokens of a summary request. */
const SUMMARY_INSTRUCTIONS = 500;
/** Share of requests that found a cold cache in recorded sessions. */
const COLD_SHARE = 0.032;

/** How many requests must still come for a compaction now to be cheaper than going on; 0 = it pays at once. */
export function breakEvenRequests(input: BreakEvenInput): number {
  const { view, landing, head, read, write, output, cold, summary } = input;
  const saved = view - landing;
  if (saved <= 0) return Number.POSITIVE_INFINITY;
  const coldShare = input.coldShare ?? COLD_SHARE;
  const call = summary > 0 ? read * (head + view) + SUMMARY_INSTRUCTIONS * write + output * summary : 0;
  // Cold: both ways write their whole prompt, so the smaller one saves at once what it doesn't write.
  const now = cold ? call - write * saved : (write - read) * landing + call;
  if (now <= 0) return 0;
  return now / (saved * (read + coldShare * (write - read)));
}
