import { lastTrue } from "../../core/last-true.ts";
import type { Line } from "../material/lines.ts";
import type { MadeMessage } from "./write-message.ts";

/** What may stay unused: less than a line, and each try to do better costs a count of the whole message. */
const SLACK = 0.002;

/** Counts per search: each one costs as much as a count of the whole message. */
const MAX_COUNTS = 12;
/** After so many counts the estimate can't be trusted, and the rest is halved. */
const TRUSTED_COUNTS = 5;

/** As many quotes as fit (nearly always all that were chosen), then as many lines as fit beside them. */
export function fillCap(
  cap: number,
  parts: {
    /** Estimated tokens of each quote, in the order of their rank. */
    readonly quoteCosts: readonly number[];
    readonly chosen: readonly Line[];
    readonly lineCost: (line: Line) => number;
    readonly render: (quotes: number, lines: number) => MadeMessage;
    readonly fixed: boolean;
  },
): MadeMessage | undefined {
  const { chosen, lineCost } = parts;
  const made = new Map<string, MadeMessage>();
  const make = (quotes: number, lines: number): MadeMessage => {
    const key = `${quotes}/${lines}`;
    const known = made.get(key);
    if (known !== undefined) return known;
    const fresh = parts.render(quotes, lines);
    made.set(key, fresh);
    return fresh;
  };
  const bare = make(0, 0).tokens;
  const quotesCosts = sums(parts.quoteCosts);
  const linesCosts = sums(chosen.map(lineCost));
  const linesBeside = (quotes: number): number | undefined =>
    largestFit({
      most: chosen.length,
      cap,
      expected: (size) => bare + quotesCosts[quotes]! + linesCosts[size]!,
      tokens: (size) => make(quotes, size).tokens,
      slack: cap * SLACK,
    });
  let quotes = parts.quoteCosts.length;
  let lines = linesBeside(quotes);
  if (lines === undefined) {
    const fewer = largestFit({
      most: quotes,
      cap,
      expected: (size) => bare + quotesCosts[size]!,
      tokens: (size) => make(size, 0).tokens,
    });
    if (fewer === undefined) return undefined;
    quotes = fewer;
    lines = linesBeside(quotes) ?? 0;
  }
  return lines === 0 && quotes === 0 && !parts.fixed ? undefined : make(quotes, lines);
}

/** What the first n cost together, by n. */
function sums(costs: readonly number[]): Float64Array {
  const all = new Float64Array(costs.length + 1);
  for (const [at, cost] of costs.entries()) all[at + 1] = all[at]! + cost;
  return all;
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
