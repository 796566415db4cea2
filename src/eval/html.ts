import type { Estimate } from "./bootstrap.ts";
import { type Chart, type ChartLine, chartSvg } from "./chart.ts";
import { escapeHtml } from "./report/escape.ts";
import { reportPage, tableHtml } from "./report/page.ts";
import type { RetentionResult, SetResult } from "./run-retention.ts";
import { distinctRows } from "./tally.ts";

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
      ...result.sets.map((set) => {
        const { rows, same } = distinctRows(set.rows);
        return section({ ...set, rows }, same, colors);
      }),
    ],
  });
}

/** A colour for each contestant, by label, the same in every chart. */
function colorsOf(result: RetentionResult): Map<string, number> {
  const labels = new Set(result.sets.flatMap((set) => set.rows.map((row) => row.label)));
  return new Map([...labels].map((label, index) => [label, index % COLORS]));
}

function section(set: SetResult, same: readonly string[], colors: ReadonlyMap<string, number>): string {
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
<p class="note">${[`${set.cases} cases of ${set.sessions} sessions`, ...same].map(escapeHtml).join("; ")}</p>
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

/** What only this report has: a colour for each contestant, and many small charts. */
const RETENTION_STYLE = `
:root{--c0:#c2410c;--c1:#0369a1;--c2:#15803d;--c3:#7e22ce;--c4:#a16207;--c5:#be185d;--c6:#9a3412;--c7:#4b5563;--c8:#0f766e}
@media (prefers-color-scheme:dark){:root{--c0:#fb923c;--c1:#38bdf8;--c2:#4ade80;--c3:#c084fc;--c4:#facc15;--c5:#f472b6;--c6:#fdba74;
--c7:#cbd5e1;--c8:#2dd4bf}}
main{max-width:90rem}
section{margin-top:2.5rem}
.legend{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;padding:.6rem 0;margin:0;list-style:none;position:sticky;top:0;z-index:1;
background:var(--paper);font-size:.9rem}
.legend li::before{content:"";display:inline-block;width:.8em;height:.8em;border-radius:50%;margin-right:.4em;
background:var(--c);vertical-align:-.05em}
.charts{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,17rem),1fr));gap:1rem;margin:.75rem 0}
.charts figure{margin:0;padding:.75rem}
.charts figcaption{display:block;margin:0;font-weight:600;font-size:.9rem}
figcaption small{display:block;font-weight:400;color:var(--soft);min-height:2.6em;line-height:1.3}
.charts svg{width:100%;height:auto;display:block}
text.tick{fill:var(--soft);font-size:11px}
.line polyline{fill:none;stroke:var(--c);stroke-width:1.75}.line line{stroke:var(--c);stroke-width:1.25;opacity:.6}
.line circle{fill:var(--c)}
${[0, 1, 2, 3, 4, 5, 6, 7, 8].map((n) => `.c${n}{--c:var(--c${n})}`).join("")}
table{width:auto}
th,td{padding:.3rem .7rem}
.who{white-space:nowrap;position:sticky;left:0;background:var(--paper)}
td small{color:var(--soft);display:block}
summary{color:var(--soft);padding:.35rem 0}
`;
