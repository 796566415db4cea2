import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "./lib/project.mjs";

const page = (path: string): string => readFileSync(join(root, path), "utf8");
const results = (name: string) => JSON.parse(page(`bench/results/${name}.json`));
const percent = (value: number): string => (value === 100 ? "100" : value.toFixed(1));

/** A row of `retention.json`, as a table shows the measures that are asked for. */
function retained(set: string, contestant: string, budget: string, measures: readonly string[]): string {
  const { rows } = results("retention").sets.find(({ id }: { id: string }) => id === set);
  const found = rows.find(
    (row: { contestant: string; budget: string }) => row.contestant === contestant && row.budget === budget,
  );
  return measures.map((measure) => percent(found.measures[measure])).join(" | ");
}

test("the tables of retention are what was measured last", () => {
  const four = ["naar", "naar-ctx", "naar-old", "users"];
  const bold = retained("agent-sessions/cuts", "precis", "10 %", four).replaceAll(/[\d.]+/g, "**$&**");
  for (const path of ["README.md", "docs/compare.md"]) {
    expect(page(path)).toContain(`| **precis** | ${bold} |`);
    for (const other of ["keep-last", "without-results", "middle-out"])
      expect(page(path)).toContain(`| ${retained("agent-sessions/cuts", other, "10 %", four)} |`);
  }
  const eight = ["naar", "naar-ctx", "naar-old", "terms", "plain", "lines", "users", "edited"];
  for (const one of ["precis", "keep-last", "without-results", "middle-out", "masking"])
    expect(page("docs/guide/eval.md")).toContain(retained("agent-sessions/cuts", one, "10 %", eight));
  const five = ["naar", "naar-ctx", "naar-old", "terms", "users"];
  for (const one of ["precis", "recorded"])
    expect(page("docs/guide/eval.md")).toContain(
      retained("agent-sessions/compactions", one, "recorded", five),
    );
});

test("the tables of citations are what was measured last", () => {
  for (const one of ["precis", "keep-last"]) {
    const cells = ["resolved", "dangling"].flatMap((measure) =>
      ["5 %", "10 %", "25 %"].map((budget) => retained("mtrag/rag_chains", one, budget, [measure])),
    );
    expect(page("docs/guide/eval.md")).toContain(`| ${cells.join(" | ")} |`);
  }
});

test("talk that others read again is told beside the first readers' scores", () => {
  const scores = Object.values<Score>(results("readers").talkReadAgain.arms).map(({ score }) =>
    percent(score),
  );
  expect(scores.length).toBe(2);
  for (const path of ["docs/compare.md", "docs/guide/eval.md", "docs/tasks/faq.md"])
    for (const score of scores) expect(page(path)).toContain(score);
});

test("the tables of costs are what was measured last", () => {
  const [sessions, chains] = results("cost").results;
  for (const row of sessions.rows) {
    const chained = chains.rows.find(({ policy }: { policy: string }) => policy === row.policy);
    const cells = [row, chained].flatMap(({ cost, anchors }) => [
      cost.toFixed(3),
      percent(Math.round(anchors * 1_000) / 10),
    ]);
    expect(page("docs/guide/eval.md")).toContain(`| ${cells.join(" | ")} |`);
  }
});

test("the scores of readers are what was measured last", () => {
  const { arms } = results("readers").codingSessionsNotSeen;
  for (const { score, misleading, answers, byType } of Object.values<Record<string, never>>(arms)) {
    const types = Object.values<number>(byType ?? {}).map(percent);
    expect(page("docs/guide/eval.md")).toContain(
      `| ${[percent(score ?? 0), ...types].join(" | ")} | ${misleading} of ${answers} |`,
    );
    expect(page("docs/compare.md")).toContain(`| ${percent(score ?? 0)} | ${misleading} of ${answers} |`);
    expect(page("README.md")).toContain(percent(score ?? 0));
  }
});

interface Score {
  readonly score: number;
  readonly misleading: number;
  readonly answers: number;
}

test("scores in talk and after ten compactions are what was measured last", () => {
  const { talkThreeTrials, recallInTalkOfTwo, tenCompactionsFromNotes } = results("readers");
  const talk = talkThreeTrials.arms;
  const rows = [...Object.values(talk), ...Object.values(recallInTalkOfTwo.arms)];
  const ten = tenCompactionsFromNotes.arms["precis+model, ten compactions"].score;
  const one = tenCompactionsFromNotes.arms["precis+model, one compaction"].score;
  for (const path of ["docs/compare.md", "docs/guide/eval.md"]) {
    for (const { score, misleading, answers } of rows as Score[])
      expect(page(path)).toContain(`| ${percent(score)} | ${misleading} of ${answers} |`);
    expect(page(path)).toContain(`${percent(ten)} instead of ${percent(one)}`);
  }
  for (const { score } of [talk["precis 10 %"], talk["whole history"]])
    expect(page("docs/tasks/faq.md")).toContain(percent(score));
  const recall = results("readers").recallCodingSessions.arms;
  expect(page("docs/guide/recall.md")).toContain(
    `${percent(recall["precis+recall"].score)} with automatic recall and ${percent(recall["precis"].score)} without it`,
  );
});

test("what recall finds is what was measured last", () => {
  const measured = results("recall-quality");
  const text = page("docs/guide/recall.md").replaceAll(/\s+/g, " ");
  for (const set of ["locomo-dev", "beam-100K-dev"]) {
    const { bm25, precis, views } = measured[set];
    const row = [bm25, precis].map((figures) => figures.map(percent).join(" / ")).join(" | ");
    expect(text).toContain(`| ${row} |`);
    expect(text).toContain(
      `rises from ${percent(views.evidenceWithout)} to ${percent(views.evidenceWithRecall)} %`,
    );
  }
  const { evidenceIfKnown } = measured["beam-100K-dev"].views;
  expect(text).toContain(`would reach ${percent(evidenceIfKnown)} % with the same allowance`);
  const { turns, turnsWithRecall, quotations, sharingNothing } = measured.codingTurns;
  expect(text).toContain(
    `In ${turns} turns of recorded coding sessions, it quoted ${quotations} passages in ${turnsWithRecall} of them. ${sharingNothing} of the ${quotations} share no word`,
  );
  const { evidenceWithRecall, answersWithout, answersWithRecall } = measured["bfcl-memory"].views;
  expect(text).toContain(`it is ${percent(evidenceWithRecall)} % with and without recall`);
  expect(text).toContain(
    `of ${percent(answersWithRecall)} % of the answers stand there, and of ${percent(answersWithout)} % without`,
  );
});

test("the costs of recall are what was measured last", () => {
  const { automatic, tool } = results("recall-turns");
  const { all, quoting, firstTurnMs } = automatic;
  const tokens = (value: number): string => value.toLocaleString("en");
  for (const row of [
    `| 0 | ${all.msWithout.toFixed(1)} ms |`,
    `| ${tokens(all.tokens.mean)} on average | ${all.ms.toFixed(1)} ms |`,
    `| ${tokens(quoting.tokens.mean)} on average, ${tokens(quoting.tokens.most)} at the most | ${quoting.ms.toFixed(1)} ms |`,
    `| | ${firstTurnMs.with} ms |`,
    `| ${tool.definitionTokens.recall} (${tool.definitionTokens.recallAndCompact} with \`compact\`) | |`,
    `| ${tokens(tool.answerTokens.median)} come back, and the view is sent once more | ${tool.callMs.toFixed(1)} ms (the first one ${tool.firstCallMs} ms) |`,
  ])
    expect(page("docs/guide/recall.md")).toContain(row);
  for (const kind of ["goingOn", "newWork"]) expect(automatic[kind].tokens.most).toBe(0);
});

test("the figures of an hour of video are those of the recorded run", () => {
  const { hour } = results("stream");
  const text = page("docs/guide/stream.md").replaceAll(/\s+/g, " ");
  const of = (name: string): number[] => hour.map((row: Record<string, number>) => row[name] ?? 0);
  const least = Math.min(...of("managed"));
  expect(text).toContain(`managed ${least} to ${Math.max(...of("managed"))} times`);
  const shares = of("of all time, %");
  expect(text).toContain(
    `took ${Math.min(...shares).toFixed(2)} to ${Math.max(...shares).toFixed(2)} % of the time`,
  );
  for (const row of hour) {
    const fed = [row["tokens per frame, at first"], row["second quarter"], row["last quarter"]];
    const cells = fed.map((tokens: number) => tokens.toFixed(1)).join(" | ");
    expect(text).toContain(`| \`${row.strategy}\` | ${cells} |`);
  }
});

test("the figures of the page's speed are those of the recorded run", () => {
  const { openMs, typingWhileStreaming, firstLoad } = results("page");
  const text = page("docs/guide/page.md").replaceAll(/\s+/g, " ");
  expect(text).toContain(
    `opened in ${(openMs.warm / 1_000).toFixed(1)} s, or ${(openMs.cold / 1_000).toFixed(1)} s on a server`,
  );
  const { p50, p95 } = typingWhileStreaming.keyMs;
  expect(text).toContain(`after ${Math.round(p50)} ms (one in twenty after more than ${Math.round(p95)} ms)`);
  expect(text).toContain(`${Math.round(firstLoad.scriptGzip / 1_000)} KB of script`);
});
