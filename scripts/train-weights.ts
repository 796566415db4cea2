/**
 * Fits the small logistic regression behind the working set to recorded agent sessions and prints it beside the weights that are
 * shipped:
 *
 *   node scripts/train-weights.ts DIR      (a folder with agent sessions, see docs/guide/eval.md)
 *
 * A term counts as needed if one of the next 15 calls uses it before anybody has said it again. Terms that the
 * newest 4 % of the transcript show are left out, because a view shows them anyway. Every cut weighs about the same, however
 * much it needs. The regression is judged on sessions that it was not fitted to.
 */

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { openaiChat } from "../src/apis/chat/index.ts";
import type { Message } from "../src/core/types.ts";
import { isAgentSession, parseAgentSession } from "../src/eval/data/agent-session.ts";
import { readRecords } from "../src/eval/node/data-files.ts";
import { type TranscriptLines, transcriptLines } from "../src/summaries/lines.ts";
import { TERM_WEIGHTS, termFeatures } from "../src/summaries/select/weights.ts";

const CUTS = [0.35, 0.5, 0.65, 0.8];
const NEXT_CALLS = 15;
const FEWEST_MESSAGES = 12;
const VISIBLE_SHARE = 0.04;
/** Of the many terms that nobody needs again this share is looked at, with the inverse weight. */
const NEGATIVES = 0.1;
const FOLDS = 5;
const RIDGE = 5;
const STEPS = 12;

interface Sample {
  readonly x: readonly number[];
  readonly needed: boolean;
  weight: number;
  readonly fold: number;
}

const [dir = "../shared/data/agent-sessions/dev"] = process.argv.slice(2);
const terms: Sample[] = [];
readdirSync(dir)
  .sort()
  .forEach((name, at) => {
    for (const record of readRecords(join(dir, name))) {
      if (!isAgentSession(record)) continue;
      const session = parseAgentSession(record);
      const messages = session.messages
        .slice(0, session.compactions[0])
        .map((message) => openaiChat.read(message));
      for (const share of CUTS) addCut(messages, Math.floor(messages.length * share), at % FOLDS);
    }
  });
report("terms", TERM_WEIGHTS, terms);

function addCut(messages: readonly Message[], near: number, fold: number): void {
  let cut = near;
  while (messages[cut]?.role === "tool") cut++;
  if (cut < FEWEST_MESSAGES || messages.length - cut < FEWEST_MESSAGES) return;
  const before = transcriptLines(messages.slice(0, cut));
  const after = transcriptLines(messages.slice(cut));
  const shown = before.length * (1 - VISIBLE_SHARE);
  addTerms(before, after, shown, fold);
}

function addTerms(before: TranscriptLines, after: TranscriptLines, shown: number, fold: number): void {
  const size = before.table.terms.length;
  const seenAgain = new Set<number>();
  const needed = new Set<number>();
  for (const line of nextCalls(after)) {
    for (const term of before.table.scan(line.text)) {
      if (term >= size) continue;
      if (line.kind === "call" || line.kind === "body") {
        if (!seenAgain.has(term)) needed.add(term);
      } else if (line.kind !== "assistant" && !needed.has(term)) seenAgain.add(term);
    }
  }
  const visible = new Set(before.lines.flatMap((line) => (line.position >= shown ? line.terms : [])));
  const featuresOf = termFeatures(before);
  const hidden = Array.from({ length: size }, (_, term) => term).filter((term) => !visible.has(term));
  push(
    terms,
    hidden,
    (term) => needed.has(term),
    (term) => Object.values(featuresOf(term)),
    fold,
  );
}

/** Lines up to the last of the next calls. */
function nextCalls(after: TranscriptLines): TranscriptLines["lines"] {
  let calls = 0;
  const end = after.lines.findIndex((line) => line.kind === "call" && ++calls > NEXT_CALLS);
  return end < 0 ? after.lines : after.lines.slice(0, end);
}

function push<T>(
  samples: Sample[],
  items: readonly T[],
  isNeeded: (item: T) => boolean,
  featuresOf: (item: T) => number[],
  fold: number,
): void {
  const positives = items.filter(isNeeded).length;
  if (positives === 0) return;
  const weight = 30 / (positives + 10);
  items.forEach((item, at) => {
    const needed = isNeeded(item);
    // Every tenth, not a random tenth: the same data gives the same weights.
    if (!needed && at % Math.round(1 / NEGATIVES) !== 0) return;
    samples.push({ x: featuresOf(item), needed, weight: needed ? weight : weight / NEGATIVES, fold });
  });
}

function report(title: string, shipped: Record<string, number>, samples: readonly Sample[]): void {
  const names = Object.keys(shipped);
  const fitted = regress(samples, names.length);
  let heldOut = 0;
  for (let fold = 0; fold < FOLDS; fold++) {
    const weights = regress(
      samples.filter((sample) => sample.fold !== fold),
      names.length,
    );
    heldOut +=
      fitOf(
        weights,
        samples.filter((sample) => sample.fold === fold),
      ) / FOLDS;
  }
  console.log(`${title}: ${samples.length} samples, ${samples.filter(({ needed }) => needed).length} needed`);
  console.log(
    `  log-likelihood per sample: held out ${heldOut.toFixed(4)}, shipped ${fitOf(Object.values(shipped), samples).toFixed(4)}`,
  );
  names.forEach((name, at) => {
    console.log(
      `  ${name.padEnd(14)} fitted ${fitted[at]!.toFixed(2).padStart(6)}  shipped ${shipped[name]}`,
    );
  });
}

function answer(weights: readonly number[], x: readonly number[]): number {
  return 1 / (1 + Math.exp(-x.reduce((sum, value, at) => sum + value * weights[at]!, 0)));
}

function fitOf(weights: readonly number[], samples: readonly Sample[]): number {
  let sum = 0;
  let total = 0;
  for (const { x, needed, weight } of samples) {
    const p = answer(weights, x);
    sum += weight * Math.log(Math.max(1e-9, needed ? p : 1 - p));
    total += weight;
  }
  return sum / total;
}

/** Newton's method with a ridge. */
function regress(samples: readonly Sample[], size: number): number[] {
  const weights = new Array<number>(size).fill(0);
  for (let step = 0; step < STEPS; step++) {
    const rows = Array.from({ length: size }, (_, row) =>
      Array.from({ length: size + 1 }, (_, column) =>
        column === row ? RIDGE : column === size ? -RIDGE * weights[row]! : 0,
      ),
    );
    for (const { x, needed, weight } of samples) {
      const p = answer(weights, x);
      for (let row = 0; row < size; row++) {
        rows[row]![size]! += weight * ((needed ? 1 : 0) - p) * x[row]!;
        for (let column = 0; column < size; column++)
          rows[row]![column]! += weight * p * (1 - p) * x[row]! * x[column]!;
      }
    }
    solve(rows).forEach((change, at) => {
      weights[at]! += change;
    });
  }
  return weights;
}

/** Gauss elimination; each row ends with its right-hand side. */
function solve(rows: number[][]): number[] {
  const size = rows.length;
  for (let at = 0; at < size; at++) {
    for (let row = 0; row < size; row++) {
      if (row === at) continue;
      const factor = rows[row]![at]! / rows[at]![at]!;
      for (let column = at; column <= size; column++) rows[row]![column]! -= factor * rows[at]![column]!;
    }
  }
  return rows.map((row, at) => row[size]! / row[at]!);
}
