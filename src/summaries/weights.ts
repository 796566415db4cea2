import type { TranscriptLines } from "./lines.ts";
import { NEVER, recency } from "./recency.ts";
import type { Shape } from "./terms.ts";

/**
 * How likely a term is to be needed again, times how much it is worth: one number per term. What the agent itself wrote
 * into its calls, and how recently, tells most; terms that only tools have said tell least.
 */

/** Logistic regression; `scripts/train-weights.ts` explains and repeats how these came about. */
const WEIGHTS = {
  bias: -2.15,
  /** Per logarithm of the lines that have it. */
  lines: 0.7,
  /** Per logarithm of the calls that name it. */
  calls: 1.05,
  recency: 1.9,
  callRecency: 0.5,
  digit: -0.4,
  onlyInResults: -1.9,
} as const;

/** What seeing a term again is worth, by its form: a path can't be guessed, a common word can. */
const VALUES: Readonly<Record<Shape, number>> = {
  path: 1,
  dotted: 0.6,
  name: 0.75,
  digits: 0.2,
  joined: 0.3,
  dense: 0.15,
  capitalised: 0.05,
  plain: 0.1,
};

/** Weight of each term by id. */
export function termWeights({ lines, table, length }: TranscriptLines): Float64Array {
  const size = table.terms.length;
  const inLines = new Float64Array(size);
  const inCalls = new Float64Array(size);
  const saidElsewhere = new Uint8Array(size);
  const last = new Float64Array(size).fill(-1);
  const lastCall = new Float64Array(size).fill(-1);
  for (const { kind, position, terms } of lines) {
    for (const term of terms) {
      inLines[term]!++;
      last[term] = position;
      if (kind === "call") {
        inCalls[term]!++;
        lastCall[term] = position;
      }
      if (kind !== "result") saidElsewhere[term] = 1;
    }
  }
  const recencyOf = (position: number): number => (position < 0 ? NEVER : recency(length - position));
  const weights = new Float64Array(size);
  for (let term = 0; term < size; term++) {
    const sum =
      WEIGHTS.bias +
      WEIGHTS.lines * Math.log1p(inLines[term]!) +
      WEIGHTS.calls * Math.log1p(inCalls[term]!) +
      WEIGHTS.recency * recencyOf(last[term]!) +
      WEIGHTS.callRecency * recencyOf(lastCall[term]!) +
      (table.hasDigit[term] ? WEIGHTS.digit : 0) +
      (saidElsewhere[term] ? 0 : WEIGHTS.onlyInResults);
    weights[term] = VALUES[table.shapes[term]!] / (1 + Math.exp(-sum));
  }
  return weights;
}
