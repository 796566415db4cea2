import type { Estimate } from "./bootstrap.ts";
import { type Chart, type ChartLine, chartSvg } from "./chart.ts";
import { RETENTION_STYLE } from "./html-style.ts";
import { escapeHtml } from "./report/escape.ts";
import { reportPage, tableHtml } from "./report/page.ts";
import type { RetentionResult, SetResult } from "./run-retention.ts";

/** Colours that the style has. */
const COLORS = 9;

/** The result as a page: curves, then the figures behind them. */
export function retentionHtml(result: RetentionResult): string {
  const colors = colorsOf(result);
  return reportPage({
    kind: "precis eval",
    title: "What a compacted conversation still knows",
    tab: "Retention",
    facts: [
      `tokens by ${result.counter}`,
      "bars are 95 % intervals over sessions",
      ...(result.sampled ? ["a sample of the sessions: intervals are wide"] : []),
    ],
    style: RETENTION_STYLE,
    body: [
      '<p class="note">Share of what is needed later that is still in the view, in percent.</p>',
      ...result.sets.map((set) => section(set, colors)),
    ],
  });
}

/** A colour for each contestant, by label, the same in every chart. */
function colorsOf(result: RetentionResult): Map<string, number> {
  const labels = new Set(result.sets.flatMap((set) => set.rows.map((row) => row.label)));
  return new Map([...labels].map((label, index) => [label, index % COLORS]));
}

function section(set: SetResult, colors: ReadonlyMap<string, number>): string {
  const legend = [...new Set(set.rows.map((row) => row.label))]
    .map((label) => `<li class="c${colors.get(label) ?? 0}">${escapeHtml(label)}</li>`)
    .join("");
  const figures = set.measures.map((measure) => {
    const chart = chartOf(set, measure.id, measure.label, colors);
    const hint = `${escapeHtml(measure.about)}${measure.better === "lower" ? "; lower is better" : ""}`;
    return `<figure class="card"><figcaption>${escapeHtml(measure.label)}<small>${hint}</small></figcaption>${chartSvg(chart)}</figure>`;
  });
  return `<section>
<h2>${escapeHtml(set.id)}</h2>
<p class="note">${set.cases} cases of ${set.sessions} sessions</p>
<ul class="legend">${legend}</ul>
<div class="charts">${figures.join("")}</div>
<details><summary>All figures</summary><div class="scroll">${table(set)}</div></details>
</section>`;
}

function chartOf(set: SetResult, id: string, title: string, colors: ReadonlyMap<string, number>): Chart {
  const ticks = [...new Set(set.rows.map((row) => row.budget))];
  const labels = [...new Set(set.rows.map((row) => row.label))];
  const lines = labels.map((label): ChartLine => {
    const points = set.rows
      .filter((row) => row.label === label)
      .flatMap((row) => {
        const value = row.measures[id];
        return value
          ? [{ x: ticks.indexOf(row.budget), mean: value.mean, low: value.low, high: value.high }]
          : [];
      });
    return { label, color: colors.get(label) ?? 0, points };
  });
  return { title, ticks, lines };
}

function table(set: SetResult): string {
  const labels = ["", "budget", ...set.measures.map((measure) => measure.label), "tokens", "over budget"];
  const rows = set.rows.map((row) => [
    escapeHtml(row.label),
    escapeHtml(row.budget),
    ...set.measures.map((measure) => cell(row.measures[measure.id])),
    row.tokens.toFixed(0),
    String(row.over),
  ]);
  return tableHtml(
    labels.map((label, index) => ({ label, className: index === 0 ? "who" : "n" })),
    rows,
  );
}

function cell(estimate: Estimate | undefined): string {
  if (!estimate) return "–";
  const { mean, low, high } = estimate;
  return `${(100 * mean).toFixed(1)}<small>${(100 * low).toFixed(1)}–${(100 * high).toFixed(1)}</small>`;
}
