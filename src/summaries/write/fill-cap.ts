import { lastTrue } from "../../core/collections.ts";
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
  let next = lastTrue(1, most, (items) => expected(items) <= cap);
  let before = { items: 0, size: expected(0) };
  for (let counts = 1; counts <= MAX_COUNTS; counts++) {
    const size = tokens(next);
    if (size <= cap) low = next;
    else high = next;
    if (high - low <= 1 || (size <= cap && size >= cap - slack)) break;
    // How much of the estimate came true between the last two counts.
    const scale = (size - before.size) / (expected(next) - expected(before.items));
    const from = next;
    const isWithin = (items: number): boolean =>
      size + (expected(items) - expected(from)) * (scale > 0 ? scale : 1) <= cap - slack / 2;
    const reached = counts >= TRUSTED_COUNTS ? (low + high) >> 1 : lastTrue(low + 1, high - 1, isWithin);
    before = { items: from, size };
    next = Math.max(low + 1, reached);
  }
  if (low >= 0) return low;
  return tokens(0) <= cap ? 0 : undefined;
}
