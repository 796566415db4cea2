import { lastTrue } from "../../core/last-true.ts";
import type { MadeMessage } from "./write-message.ts";

/** What may stay unused: less than a line, and each try to do better costs a count of the whole message. */
const SLACK = 0.002;

/** Counts per search: each one costs as much as a count of the whole message. */
const MAX_COUNTS = 12;
/** After so many counts the estimate can't be trusted, and the rest is halved. */
const TRUSTED_COUNTS = 5;

/** As much as fits of what was chosen, in the order of its rank. */
export function fillCap(
  cap: number,
  parts: {
    /** Estimated tokens of each. */
    readonly costs: readonly number[];
    readonly render: (items: number) => MadeMessage;
    /** There is something to say without any of it. */
    readonly fixed: boolean;
  },
): MadeMessage | undefined {
  const made = new Map<number, MadeMessage>();
  const make = (items: number): MadeMessage => {
    const message = made.get(items) ?? parts.render(items);
    made.set(items, message);
    return message;
  };
  const bare = make(0).tokens;
  const upTo = new Float64Array(parts.costs.length + 1);
  for (const [at, cost] of parts.costs.entries()) upTo[at + 1] = upTo[at]! + cost;
  const items = largestFit({
    most: parts.costs.length,
    cap,
    expected: (size) => bare + upTo[size]!,
    tokens: (size) => make(size).tokens,
    slack: cap * SLACK,
  });
  return items === undefined || (items === 0 && !parts.fixed) ? undefined : make(items);
}

/**
 * The largest number of items whose `tokens` are within `cap`, found with few counts. A number that leaves at most
 * `slack` tokens unused will do. Assumes that more items never take fewer tokens; where that fails by a little, the
 * result is still within `cap`.
 */
export function largestFit({
  most,
  cap,
  expected,
  tokens,
  slack = 0,
}: {
  readonly most: number;
  readonly cap: number;
  /** Estimated tokens of so many items and all that stands beside them. */
  readonly expected: (items: number) => number;
  readonly tokens: (items: number) => number;
  readonly slack?: number;
}): number | undefined {
  let low = -1;
  let high = most + 1;
  let lowTokens = 0;
  let highTokens = 0;
  let next = lastTrue(1, most, (items) => expected(items) <= cap);
  for (let counts = 1; counts <= MAX_COUNTS; counts++) {
    const size = tokens(next);
    if (size <= cap) {
      low = next;
      lowTokens = size;
      if (size >= cap - slack) break;
    } else {
      high = next;
      highTokens = size;
    }
    if (high - low <= 1) break;
    if (counts >= TRUSTED_COUNTS) next = Math.max(low + 1, Math.floor((low + high) / 2));
    else {
      // The estimate of what lies between the counted point and the cap, corrected by what is known of it.
      const [from, known] = low >= 0 ? [low, lowTokens] : [high, highTokens];
      const both = low >= 0 && high <= most;
      const counted = both ? highTokens - lowTokens : known - expected(0);
      const estimated = both ? expected(high) - expected(low) : expected(from) - expected(0);
      const scale = estimated > 0 && counted > 0 ? counted / estimated : 1;
      const corrected = (items: number) => known + (expected(items) - expected(from)) * scale;
      const reached = lastTrue(low + 1, high - 1, (items) => corrected(items) <= cap - slack / 2);
      next = Math.max(low + 1, Math.min(high - 1, reached));
    }
  }
  if (low >= 0) return low;
  return tokens(0) <= cap ? 0 : undefined;
}
