/**
 * How much of the evidence for a question recall finds in memory, in SQLite and in PostgreSQL, beside plain BM25, and how much of it a small view holds when the
 * question is asked, with automatic recall, without, and if recall knew the evidence. Also what is quoted in coding sessions. Needs recorded
 * conversations: `node bench/recall-quality.ts [FOLDER]`, by default `../shared/data/probes`. Without them it says so and measures nothing.
 */

import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openaiChat } from "../src/apis/index.ts";
import { createCompactor } from "../src/engine/create-compactor.ts";
import { isProbeRecord, probeCase } from "../src/eval/data/sessions.ts";
import { messagesText } from "../src/eval/message-text.ts";
import { readRecords } from "../src/eval/node/data-files.ts";
import type { ProbeCase } from "../src/eval/types.ts";
import { answerIsThere, indexWords, isThere } from "../src/eval/words.ts";
import { profiles } from "../src/profiles/index.ts";
import { createMemoryIndex } from "../src/recall/candidates.ts";
import { rank, readQuery } from "../src/recall/rank.ts";
import { postgresStore } from "../src/stores/postgres.ts";
import { sqliteStore } from "../src/stores/sqlite.ts";
import { exactCounter } from "../src/tokens/index.ts";
import { startPostgres } from "../test/support/postgres.ts";
import { codingTurns } from "./recall-quality/coding-turns.ts";
import { heldIfKnown } from "./recall-quality/known-evidence.ts";
import { bm25, byStore } from "./recall-quality/rankings.ts";
import { round } from "./support/statistics.ts";
import { writeResult } from "./support/write-result.ts";

const folder = process.argv.slice(2).find((one) => !one.startsWith("--")) ?? "../shared/data/probes";
const FIRST = [5, 10, 25, 50];
/** Sets, and the share of its tokens that a view of a conversation has. */
const SETS = [
  { name: "locomo-dev", share: 0.25 },
  { name: "beam-100K-dev", share: 0.1 },
  { name: "bfcl-memory", share: 0.1 },
];
/** What the view leaves free for what is recalled. */
const VIEW_SHARE = 0.95;

const counter = await exactCounter("o200k_base");

type Ranking = (question: string) => readonly number[] | Promise<readonly number[]>;

/** Mean share of each question's evidence that a way of ranking finds first, in percent. */
async function recallOf(
  cases: readonly ProbeCase[],
  ranking: (evalCase: ProbeCase) => Ranking | Promise<Ranking>,
): Promise<number[]> {
  const sums = FIRST.map(() => 0);
  let questions = 0;
  for (const evalCase of cases) {
    const ranked = await ranking(evalCase);
    for (const { question, evidence } of evalCase.probes) {
      if (evidence.length === 0) continue;
      questions++;
      const order = await ranked(question);
      for (const [at, first] of FIRST.entries()) {
        const top = new Set(order.slice(0, first));
        sums[at]! += evidence.filter((index) => top.has(index)).length / evidence.length;
      }
    }
  }
  return sums.map((sum) => round((100 * sum) / questions, 1));
}

function byRecall({ messages }: ProbeCase): Ranking {
  const index = createMemoryIndex();
  for (const message of messages) index.add(openaiChat.read(message));
  return async (question) => {
    const ranked = await rank(index, readQuery(question), async () => {});
    return ranked.map(({ of }) => of);
  };
}

/**
 * Evidence that stands in the view when the question is asked, by words and in percent: without recall, with it, and if it knew what is
 * meant. Also by halves, every other conversation, so that a gain in one of them alone is seen. Each question has compactors of its own:
 * one that needs a compaction would change the views of those that are asked after it.
 */
async function viewsOf(cases: readonly ProbeCase[], share: number) {
  let [questions, without, withRecall, ifKnown, recalled, tokens] = [0, 0, 0, 0, 0, 0];
  let [answersWithout, answersWithRecall] = [0, 0];
  const halves = [
    { questions: 0, held: 0 },
    { questions: 0, held: 0 },
  ];
  for (const [place, { messages, probes }] of cases.entries()) {
    const half = halves[place % 2]!;
    const total = messages.reduce((sum, { content }) => sum + counter.count(content) + 4, 0);
    const budget = Math.floor(total * share);
    const options = { dialect: openaiChat, counter, budget, profile: profiles.agent, auto: false };
    const compactor = createCompactor(options);
    const compacted = await compactor.compact([...messages], {
      budget: Math.floor(budget * VIEW_SHARE),
      adopt: true,
      now: 0,
    });
    await compactor.close();
    const view = messagesText(compacted.messages);
    for (const { question, evidence, answer } of probes) {
      if (evidence.length === 0) continue;
      const asked = [...messages, { role: "user" as const, content: question }];
      const fitted = async (auto: boolean) => {
        const own = createCompactor({ ...options, recall: { auto } });
        const result = await own.fit(asked, { state: compacted.state, now: 1 });
        await own.close();
        if (result.report.tokens.after > budget) throw new Error("a view is larger than its budget");
        const words = indexWords(messagesText(result.messages));
        const held = evidence.filter((index) => isThere(messages[index]!.content, words)).length;
        return {
          report: result.report,
          held: held / evidence.length,
          answers: answerIsThere(answer, words) ? 1 : 0,
        };
      };
      const { report, held, answers } = await fitted(true);
      const plain = await fitted(false);
      questions++;
      without += plain.held;
      answersWithout += plain.answers;
      answersWithRecall += answers;
      withRecall += held;
      half.questions++;
      half.held += held;
      ifKnown += heldIfKnown({
        view,
        question,
        evidence: evidence.map((index) => messages[index]!.content),
        budget,
        count: (text) => counter.count(text),
      });
      if (report.recalled.length > 0) recalled++;
      tokens += report.tokens.after - report.tokens.before;
    }
  }
  const percent = (sum: number) => round((100 * sum) / questions, 1);
  return {
    share,
    questions,
    evidenceWithout: percent(without),
    evidenceWithRecall: percent(withRecall),
    byHalves: halves.map((one) => round((100 * one.held) / one.questions, 1)),
    evidenceIfKnown: percent(ifKnown),
    answersWithout: percent(answersWithout),
    answersWithRecall: percent(answersWithRecall),
    questionsWithRecall: percent(recalled),
    meanTokens: round(tokens / questions, 0),
  };
}

const scratch = mkdtempSync(join(tmpdir(), "precis-bench-recall-"));
const sqlite = sqliteStore({ path: join(scratch, "recall.db") });
const server = await startPostgres();
const postgres = postgresStore({ url: await server.database() });

const results: Record<string, unknown> = {};
for (const { name, share } of SETS) {
  const file = join(folder, `${name}.jsonl.gz`);
  if (!existsSync(file)) {
    results[name] = "not there";
    continue;
  }
  const cases = readRecords(file).filter(isProbeRecord).map(probeCase);
  results[name] = {
    first: FIRST,
    bm25: await recallOf(cases, bm25),
    precis: await recallOf(cases, byRecall),
    sqlite: await recallOf(cases, (one) => byStore(sqlite, one)),
    postgres: await recallOf(cases, (one) => byStore(postgres, one)),
    views: await viewsOf(cases, share),
  };
}
results["codingTurns"] = await codingTurns(join(folder, "../agent-sessions/dev"), counter);
await sqlite.close();
await postgres.close();
await server.stop();
rmSync(scratch, { recursive: true, force: true });
writeResult(results);
