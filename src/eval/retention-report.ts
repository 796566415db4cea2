import type { Estimate } from "./bootstrap.ts";
import type { Block, Cell, Chart, Report } from "./report/report.ts";
import type { RetentionResult, SetResult } from "./run-retention.ts";
import { distinctRows, type RetentionRow } from "./tally.ts";

/** The result for people: curves, and the figures behind them. */
export function retentionReport(result: RetentionResult): Report {
  const errors = result.sets.flatMap((set) =>
    set.rows.flatMap(({ label, budget, failed, error }) =>
      error === undefined ? [] : [`${set.id}, ${label}, ${budget}: ${failed} failed: ${error}`],
    ),
  );
  return {
    kind: "precis eval",
    title: "What a compacted conversation still knows",
    facts: [
      `tokens by ${result.counter}`,
      "share of what is needed later that is still in the view, in percent, with 95 % intervals over sessions on the page and with --intervals",
      ...(result.sampled ? ["a sample of the sessions: intervals are wide"] : []),
    ],
    blocks: [
      ...result.sets.flatMap(section),
      ...(errors.length > 0 ? [{ is: "list", lines: errors } as const] : []),
    ],
  };
}

function section(set: SetResult): Block[] {
  const { rows, same } = distinctRows(set.rows);
  const figures = (measures: RetentionRow["measures"]) => set.measures.map(({ id }) => cell(measures[id]));
  return [
    { is: "heading", text: set.id },
    { is: "note", text: [`${set.cases} cases of ${set.sessions} sessions, %`, ...same].join("; ") },
    ...set.measures.map((measure) => ({ is: "chart", ...chartOf(set, rows, measure) }) as const),
    {
      is: "table",
      columns: ["", "budget", ...set.measures.map(({ label }) => label), "tokens", "filled", "over"],
      rows: rows.flatMap(({ label, budget, measures, tokens, filled, over, otherwise, failed }) => [
        [
          label,
          budget,
          ...figures(measures),
          tokens.toFixed(0),
          `${(100 * filled).toFixed(0)} %`,
          String(over),
        ],
        ...(otherwise ? [[`  without ${failed} that failed`, budget, ...figures(otherwise)]] : []),
      ]),
    },
  ];
}

function chartOf(
  set: SetResult,
  rows: readonly RetentionRow[],
  { id, label, about, better }: SetResult["measures"][number],
): Chart {
  const budgets = [...new Set(set.rows.map(({ budget }) => budget))];
  const labels = [...new Set(rows.map((row) => row.label))];
  return {
    title: `${label}: ${about}${better === "lower" ? "; lower is better" : ""}`,
    lines: labels.map((one) => ({
      label: one,
      points: rows.flatMap((row) => {
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
  const [mean, low, high] = [estimate.mean, estimate.low, estimate.high].map((one) => (100 * one).toFixed(1));
  return { text: mean!, small: `[${low}, ${high}]` };
}
