import type { Estimate } from "./bootstrap.ts";
import { type Chart, type ChartLine, chartSvg, escapeHtml } from "./chart.ts";
import { STYLE } from "./html-style.ts";
import type { RetentionResult, SetResult } from "./run-retention.ts";

/** Colours that the style has. */
const COLORS = 9;

/** The result as one HTML page that needs nothing else: curves, then the figures behind them. */
export function retentionHtml(result: RetentionResult): string {
  const colors = colorsOf(result);
  const sets = result.sets.map((set) => section(set, colors)).join("\n");
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Retention</title>
<style>${STYLE}</style>
<h1>What a compacted conversation still knows</h1>
<p>Share of what is needed later that is still in the view, in percent. Tokens by ${escapeHtml(result.counter)}.
Bars are 95&nbsp;% intervals over sessions.${result.sampled ? " A sample of the sessions: intervals are wide." : ""}</p>
${sets}
</html>
`;
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
    return `<figure><figcaption>${escapeHtml(measure.label)}<small>${hint}</small></figcaption>${chartSvg(chart)}</figure>`;
  });
  return `<section>
<h2>${escapeHtml(set.id)}</h2>
<p>${set.cases} cases of ${set.sessions} sessions</p>
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
  const head = ["", "budget", ...set.measures.map((measure) => measure.label), "tokens", "over budget"];
  const rows = set.rows.map((row) => [
    escapeHtml(row.label),
    escapeHtml(row.budget),
    ...set.measures.map((measure) => cell(row.measures[measure.id])),
    row.tokens.toFixed(0),
    String(row.over),
  ]);
  const line = (cells: readonly string[], tag: "th" | "td") =>
    `<tr>${cells.map((text) => `<${tag}>${text}</${tag}>`).join("")}</tr>`;
  return `<table><thead>${line(head.map(escapeHtml), "th")}</thead><tbody>${rows.map((cells) => line(cells, "td")).join("")}</tbody></table>`;
}

function cell(estimate: Estimate | undefined): string {
  if (!estimate) return "–";
  const { mean, low, high } = estimate;
  return `${(100 * mean).toFixed(1)}<small>${(100 * low).toFixed(1)}–${(100 * high).toFixed(1)}</small>`;
}
