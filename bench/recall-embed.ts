/**
 * What the `embed` port adds to recall with an embedder that needs no model: hashed runs of four letters. It knows how words are
 * written and nothing of what they mean, so it shows what the port does, not what a trained embedder would.
 * Needs recorded conversations: `node bench/recall-embed.ts [FOLDER]`, by default `../shared/data/probes`.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { openaiChat } from "../src/apis/index.ts";
import { isProbeRecord, probeCase } from "../src/eval/data/probe-case.ts";
import { readRecords } from "../src/eval/node/data-files.ts";
import { openRecall } from "../src/recall/open-recall.ts";
import type { Embed } from "../src/recall/search.ts";
import { round } from "./support/statistics.ts";
import { writeResult } from "./support/write-result.ts";

const folder = process.argv.slice(2).find((one) => !one.startsWith("--")) ?? "../shared/data/probes";
const FIRST = [5, 10, 25];
const DIMENSIONS = 512;
const LETTERS = 4;

const embed: Embed = async (texts) => texts.map(hashed);

function hashed(text: string): number[] {
  const counts = new Array<number>(DIMENSIONS).fill(0);
  const plain = ` ${text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, " ")} `;
  for (let from = 0; from + LETTERS <= plain.length; from++) {
    // FNV-1a.
    let hash = 2_166_136_261;
    for (let at = from; at < from + LETTERS; at++) hash = Math.imul(hash ^ plain.charCodeAt(at), 16_777_619);
    counts[(hash >>> 0) % DIMENSIONS]! += 1;
  }
  return counts.map(Math.sqrt);
}

const results: Record<string, unknown> = {};
for (const name of ["locomo-dev", "beam-100K-dev"]) {
  const file = join(folder, `${name}.jsonl.gz`);
  if (!existsSync(file)) {
    results[name] = "not there";
    continue;
  }
  const sums = { words: FIRST.map(() => 0), embedded: FIRST.map(() => 0) };
  let questions = 0;
  for (const { messages, probes } of readRecords(file).filter(isProbeRecord).map(probeCase)) {
    const opened = { dialect: openaiChat, transcript: messages };
    const recalls = { words: openRecall(opened), embedded: openRecall({ ...opened, embed }) };
    for (const { question, evidence } of probes) {
      if (evidence.length === 0) continue;
      questions++;
      for (const way of ["words", "embedded"] as const) {
        const { hits } = await recalls[way].search(question, { limit: 25, tokens: 1_000_000 });
        for (const [at, first] of FIRST.entries()) {
          const top = new Set(hits.slice(0, first).map(({ index }) => index));
          sums[way][at]! += evidence.filter((index) => top.has(index)).length / evidence.length;
        }
      }
    }
  }
  const percent = (all: readonly number[]) => all.map((sum) => round((100 * sum) / questions, 1));
  results[name] = { first: FIRST, questions, words: percent(sums.words), embedded: percent(sums.embedded) };
}
writeResult(results);
