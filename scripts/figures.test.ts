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
  const { arms } = results("readers").codingSessionsAfter0038;
  for (const { score, misleading, answers, byType } of Object.values<Record<string, never>>(arms)) {
    const types = Object.values<number>(byType ?? {}).map(percent);
    expect(page("docs/guide/eval.md")).toContain(
      `| ${[percent(score ?? 0), ...types].join(" | ")} | ${misleading} of ${answers} |`,
    );
    expect(page("docs/compare.md")).toContain(`| ${percent(score ?? 0)} | ${misleading} of ${answers} |`);
    expect(page("README.md")).toContain(percent(score ?? 0));
  }
});
