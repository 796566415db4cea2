/**
 * What views of German, Japanese and Arabic conversations still know: twenty questions each about work and about talk, and whether what a
 * right answer names stands in the view, letter for letter. No model, no clock: the same on every machine. With `--out DIR` the exams are
 * written there, for readers: `precis eval judged --exams DIR --reader M`. `node bench/language-exams.ts`
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Model } from "../src/core/types.ts";
import { ARMS } from "../src/eval/judged/arms.ts";
import { examTokens } from "../src/eval/judged/size.ts";
import { exactCounter } from "../src/tokens/index.ts";
import { languageExams } from "./language-exams/exams.ts";
import { round } from "./support/statistics.ts";
import { writeResult } from "./support/write-result.ts";

const SHARES = [0.1, 0.25];
const ARM_IDS = ["newest", "precis"];

const NOBODY: Model = {
  id: "none",
  complete: () => Promise.reject(new Error("No arm here asks a model.")),
};

const counter = await exactCounter("o200k_base");
const exams = languageExams();
const at = process.argv.indexOf("--out");
const out = at < 0 ? undefined : process.argv[at + 1];
if (out !== undefined) {
  mkdirSync(out, { recursive: true });
  for (const { files } of exams)
    for (const [name, text] of Object.entries(files)) writeFileSync(join(out, name), `${text}\n`);
}

const results: Record<string, unknown>[] = [];
for (const { id, messages, facts } of exams) {
  const exam = { id, messages, items: [] };
  const tokens = examTokens(exam, counter.count);
  for (const share of SHARES)
    for (const arm of ARMS.filter((one) => ARM_IDS.includes(one.id))) {
      const size = Math.floor(tokens * share);
      const contextFor = await arm.make({ exam, size, counter, summarizer: NOBODY });
      const view = (await contextFor("")).map(({ text }) => text).join("\n");
      const known = (keys: readonly string[]): boolean => keys.every((key) => view.includes(key));
      const missing = facts.filter(({ keys }) => !known(keys)).map(({ question }) => question);
      const stale = facts.filter(
        ({ before, said }) => before !== undefined && view.includes(before) && !view.includes(said),
      );
      results.push({
        exam: id,
        tokens,
        size: `${share * 100} %`,
        arm: arm.id,
        known: round(1 - missing.length / facts.length),
        stale: stale.length,
        ...(arm.id === "precis" && { missing }),
      });
    }
}
writeResult({ counter: counter.id, results });
