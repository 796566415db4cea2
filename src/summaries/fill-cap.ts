import { largestFit } from "./fill.ts";
import type { Line } from "./lines.ts";
import type { MadeMessage } from "./write-message.ts";

/** What may stay unused: less than a line, and each try to do better costs a count of the whole message. */
const SLACK = 0.002;

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
