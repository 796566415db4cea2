import type { Line } from "../lines.ts";
import { shapeFactor } from "./choose-changes.ts";
import { select } from "./select.ts";

/**
 * The working set: exact lines of hidden messages, chosen so that together they show as much as possible of what the next
 * steps are likely to need and of what is not visible elsewhere. A line earns for terms that nothing shows yet.
 */

/** A term that comes again in a later line is better shown there, with its newest neighbours. */
const STALE_FACTOR = 0.3;
/** An answer that gives its source is what the search was for: worth more than the passages that it was found in. */
const CITING_FACTOR = 2.5;

/** What begins in the middle of a sentence can hardly be read, and a file's name alone tells nothing about it. */
const FRAGMENT_FACTOR = 0.3;

/** A single statement out of the middle of changed code says little alone; its names may still be needed. */
const STATEMENT_FACTOR = 0.5;

/**
 * Where room is left, lines are told that hold nothing new: first what somebody said, then what the next edit may quote. A path is
 * worth about 1. Shorter lines (braces, `return nil`) say nothing.
 */
const SAID_WORTH = 0.02;
const LINE_WORTH = 0.01;
const SHORTEST_WORTH = 16;

/** What `selectLines` takes. */
export interface SelectInput {
  readonly candidates: readonly Line[];
  /** Worth of each term by id. */
  readonly weights: Float64Array;
  /** Is it an answer that gives its source? */
  readonly cites: (line: Line) => boolean;
  /** Term ids that are already shown; the selection adds to it. */
  readonly covered: Uint8Array;
  /** For each term the ordinal of the last candidate that has it. */
  readonly lastLine: Int32Array;
  /** Estimated tokens of a line. */
  readonly cost: (line: Line) => number;
  /** Is it said elsewhere? Asked of lines that would be taken. */
  readonly isSaid?: (line: Line) => boolean;
  /** Estimated tokens in all; the list may be longer by one line. */
  readonly budget: number;
}

/** Lines in the order of their worth: any prefix of the list is a good choice for its size. */
export function selectLines(input: SelectInput): Line[] {
  const { weights, covered, lastLine } = input;
  const candidates = newestOfEach(input.candidates);
  const prices = new Float64Array(candidates.length);
  const priceOf = (line: Line): number =>
    Math.max(1, input.cost(line)) /
    ((input.cites(line) ? CITING_FACTOR : 1) *
      (line.fragment ? FRAGMENT_FACTOR : 1) *
      (isChange(line) && shapeFactor(line) <= 1 ? STATEMENT_FACTOR : 1));
  const worth = (line: Line, at: number): number => {
    let sum = fillWorth(line);
    for (const term of line.terms) {
      if (covered[term] === 1) continue;
      const weight = weights[term]!;
      sum += lastLine[term] === line.order ? weight : STALE_FACTOR * weight;
    }
    prices[at] ||= priceOf(line);
    return sum / prices[at];
  };
  return select(candidates, {
    worth,
    price: input.cost,
    budget: input.budget,
    beyond: true,
    isWanted: (line) => input.isSaid?.(line) !== true,
    onTake(line) {
      for (const term of line.terms) covered[term] = 1;
    },
  });
}

function fillWorth({ kind, text }: Line): number {
  if (kind === "user" || kind === "assistant") return SAID_WORTH;
  return text.length < SHORTEST_WORTH ? 0 : LINE_WORTH;
}

function newestOfEach(lines: readonly Line[]): Line[] {
  const newest = new Int32Array((lines.at(-1)?.order ?? 0) + 1);
  for (const line of lines) newest[line.first] = line.order;
  return lines.filter((line) => newest[line.first] === line.order);
}

/** Was it written into a file? */
export function isChange({ kind, file }: Line): boolean {
  return kind === "body" && file !== "";
}
