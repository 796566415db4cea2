import type { TranscriptLines } from "../lines.ts";
import type { Shape } from "../material/terms.ts";
import { NEVER, recency } from "./recency.ts";

/**
 * How likely a term is to be needed again, times how much it is worth: one number per term. What the agent itself wrote
 * into its calls, and how recently, tells most; terms that only tools have said tell least.
 */

/**
 * Signs that a term will be needed, each with its weight in a logistic regression over 88 recorded sessions of coding agents: a term was
 * needed if one of the next 15 calls used it before anybody had said it again.
 */
const TERM_WEIGHTS = {
  bias: -2.15,
  /** Logarithm of the lines that have it; the same line from a tool counts once. */
  lines: 0.7,
  /** Logarithm of the calls that name it. */
  calls: 1.05,
  recency: 1.9,
  callRecency: 0.5,
  digit: -0.4,
  onlyInResults: -1.9,
};

type TermFeatures = Record<keyof typeof TERM_WEIGHTS, number>;

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

/** Weight of each term by id. Names of arguments stand in the tool schemas, so they earn nothing. */
export function termWeights(transcript: TranscriptLines): Float64Array {
  const { terms, shapes } = transcript.table;
  const featuresOf = termFeatures(transcript);
  const weights = new Float64Array(terms.length);
  for (let term = 0; term < terms.length; term++) {
    if (!transcript.argumentNames.has(term))
      weights[term] = VALUES[shapes[term]!] * likelihood(featuresOf(term), TERM_WEIGHTS);
  }
  return weights;
}

/** A logistic regression's answer. */
function likelihood<K extends string>(features: Record<K, number>, weights: Record<K, number>): number {
  let sum = 0;
  for (const name in weights) sum += weights[name] * features[name];
  return 1 / (1 + Math.exp(-sum));
}

/** Reads the signs of every term from the transcript. */
function termFeatures({ lines, table, length }: TranscriptLines): (term: number) => TermFeatures {
  const size = table.terms.length;
  const inLines = new Float64Array(size);
  const inCalls = new Float64Array(size);
  const saidElsewhere = new Uint8Array(size);
  const last = new Float64Array(size).fill(-1);
  const lastCall = new Float64Array(size).fill(-1);
  const inResults = new Uint8Array(lines.length);
  for (const { kind, position, terms, first } of lines) {
    // What tools put under every answer (notes, banners) says nothing about need, however often it comes.
    const again = kind === "result" && inResults[first] === 1;
    if (kind === "result") inResults[first] = 1;
    for (const term of terms) {
      if (!again) inLines[term]!++;
      last[term] = position;
      if (kind === "call") {
        inCalls[term]!++;
        lastCall[term] = position;
      }
      if (kind !== "result") saidElsewhere[term] = 1;
    }
  }
  const recencyOf = (position: number): number => (position < 0 ? NEVER : recency(length - position));
  return (term) => ({
    bias: 1,
    lines: Math.log1p(inLines[term]!),
    calls: Math.log1p(inCalls[term]!),
    recency: recencyOf(last[term]!),
    callRecency: recencyOf(lastCall[term]!),
    digit: table.hasDigit[term] ? 1 : 0,
    onlyInResults: saidElsewhere[term] ? 0 : 1,
  });
}
