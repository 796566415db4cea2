import type { TranscriptLines } from "./lines.ts";
import { SHAPE_VALUE, type TermTable } from "./terms.ts";

/** How likely a term is to be needed again, and how much it is worth: one number per term. */

/** Age at which recency has clearly begun to fade, in characters. */
const RECENCY_SCALE = 2_000;
const RECENCY_SPAN = 6;

const WEIGHTS = {
  bias: -1.8,
  lines: 0.35,
  callUses: 0.74,
  saidByUser: 0.28,
  recency: 2.39,
  callRecency: 0.49,
  textRecency: -0.26,
  digit: -0.8,
  onlyInResults: -1.25,
} as const;

function recency(age: number): number {
  return -Math.log(1 + age / RECENCY_SCALE) / RECENCY_SPAN;
}

/** Weight of each term by id. */
export function termWeights(transcript: TranscriptLines, table: TermTable): Float64Array {
  const size = table.terms.length;
  const lines = new Float64Array(size);
  const calls = new Float64Array(size);
  const user = new Uint8Array(size);
  const elsewhere = new Uint8Array(size);
  const last = new Float64Array(size).fill(-1);
  const lastCall = new Float64Array(size).fill(-1);
  const lastText = new Float64Array(size).fill(-1);
  for (const line of transcript.lines) {
    for (const term of line.terms) {
      lines[term] = (lines[term] as number) + 1;
      last[term] = line.position;
      if (line.kind === "call") {
        calls[term] = (calls[term] as number) + 1;
        lastCall[term] = line.position;
      } else if (line.kind === "user" || line.kind === "assistant") lastText[term] = line.position;
      if (line.kind === "user") user[term] = 1;
      if (line.kind !== "result") elsewhere[term] = 1;
    }
  }
  const age = (position: number): number => (position < 0 ? -1 : recency(transcript.length - position));
  const weights = new Float64Array(size);
  for (let term = 0; term < size; term++) {
    const sum =
      WEIGHTS.bias +
      WEIGHTS.lines * Math.log1p(lines[term] as number) +
      WEIGHTS.callUses * Math.log1p(calls[term] as number) +
      WEIGHTS.saidByUser * (user[term] as number) +
      WEIGHTS.recency * age(last[term] as number) +
      WEIGHTS.callRecency * age(lastCall[term] as number) +
      WEIGHTS.textRecency * age(lastText[term] as number) +
      (/\d/.test(table.terms[term] as string) ? WEIGHTS.digit : 0) +
      (elsewhere[term] === 1 ? 0 : WEIGHTS.onlyInResults);
    const shape = table.shapes[term];
    weights[term] = (shape === undefined ? 0 : SHAPE_VALUE[shape]) / (1 + Math.exp(-sum));
  }
  return weights;
}
