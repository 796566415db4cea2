import type { Estimate } from "./bootstrap.ts";
import { type Block, type Cell, type Chart, reportPage } from "./report/report.ts";
import type { RetentionResult, SetResult } from "./run-retention.ts";
import { distinctRows } from "./tally.ts";

/** The result as a page: curves, then the figures behind them. */
export function retentionHtml(result: RetentionResult): string {
  return reportPage({
    kind: "precis eval",
    title: "What a compacted conversation still knows",
    facts: [
      `tokens by ${result.counter}`,
      "share of what is needed later that is still in the view, in percent, with 95 % intervals over sessions",
      ...(result.sampled ? ["a sample of the sessions: intervals are wide"] : []),
    ],
    blocks: result.sets.flatMap((set) => {
      const { rows, same } = distinctRows(set.rows);
      return section({ ...set, rows }, same);
    }),
  });
}

function section(set: SetResult, same: readonly string[]): Block[] {
  const columns = ["", "budget", ...set.measures.map(({ label }) => label), "tokens", "over budget"];
  const rows = set.rows.map((row) => [
    row.label,
    row.budget,
    ...set.measures.map(({ id }) => cell(row.measures[id])),
    row.tokens.toFixed(0),
    String(row.over),
  ]);
  return [
    { is: "heading", text: set.id },
    { is: "note", text: [`${set.cases} cases of ${set.sessions} sessions`, ...same].join("; ") },
    ...set.measures.map((measure) => ({ is: "chart", ...chartOf(set, measure) }) as const),
    { is: "fold", title: "All figures", blocks: [{ is: "table", columns, rows }] },
  ];
}

function chartOf(set: SetResult, { id, label, about, better }: SetResult["measures"][number]): Chart {
  const budgets = [...new Set(set.rows.map(({ budget }) => budget))];
  const labels = [...new Set(set.rows.map((row) => row.label))];
  return {
    title: `${label}: ${about}${better === "lower" ? "; lower is better" : ""}`,
    lines: labels.map((one) => ({
      label: one,
      points: set.rows.flatMap((row) => {
        const value = row.label === one ? row.measures[id] : undefined;
        return value ? [[budgets.indexOf(row.budget), value.mean] as const] : [];
      }),
    })),
    ends: [budgets[0] ?? "", budgets.at(-1) ?? ""],
    top: 1,
    format: (share) => `${Math.round(100 * share)} %`,
  };
}

function cell(estimate: Estimate | undefined): Cell {
  if (!estimate) return "–";
  const { mean, low, high } = estimate;
  return { text: (100 * mean).toFixed(1), small: `${(100 * low).toFixed(1)}–${(100 * high).toFixed(1)}` };
}
