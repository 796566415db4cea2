import { STRATEGY_WORDS } from "../../core/words.ts";
import type { Replay } from "../../eval/replay/simulate.ts";
import type { ReplayTotals } from "../../eval/replay/totals.ts";
import { escapeHtml } from "../../eval/report/escape.ts";
import { reportPage, type Tile, tilesHtml } from "../../eval/report/page.ts";
import { formatChange, formatCount, formatDollars, formatShare, formatShort } from "../format.ts";
import { type Compared, comparedHtml } from "./compare.ts";
import { runningTotals, totalChart, viewChart } from "./page/charts.ts";
import { compactionHtml } from "./page/compactions.ts";
import { PAGE_SCRIPT } from "./page/script.ts";
import { REPLAY_STYLE } from "./page/styles.ts";
import type { ReplayFacts } from "./text-report.ts";

export function replayPage(
  facts: ReplayFacts,
  replay: Replay,
  totals: ReplayTotals,
  compared: readonly Compared[] = [],
): string {
  return reportPage({
    kind: "precis replay",
    title: facts.file,
    facts: [
      facts.source,
      `${formatCount(facts.messages)} messages`,
      `${formatCount(facts.tokens)} tokens`,
      `window ${formatShort(facts.window)}`,
      `budget ${formatCount(totals.budget)}`,
      `profile ${facts.profile}`,
      STRATEGY_WORDS[facts.strategy].label,
    ],
    style: REPLAY_STYLE,
    body: [
      totals.requests === 0
        ? '<p class="tile card" style="margin-top:24px">There is no answer of a model in it, so there is no request to replay.</p>'
        : body(facts, replay, totals, compared),
      "<footer><p>The view is what the model would have been sent. “Unchanged” is the front of it that is the same as in the request before: providers read that part from their cache at a fraction of the price.</p></footer>",
    ],
    script: { code: PAGE_SCRIPT, data: chartData(replay) },
  });
}

function body(
  facts: ReplayFacts,
  replay: Replay,
  totals: ReplayTotals,
  compared: readonly Compared[],
): string {
  return [
    tiles(facts, totals),
    facts.warnings.length === 0
      ? ""
      : `<ul class="warnings card">${facts.warnings.map((warning) => `<li>${escapeHtml(warning)}</li>`).join("")}</ul>`,
    '<figure class="card"><figcaption><h2>What each request sends</h2><span class="legend">',
    '<span><i style="color:var(--main)"></i>view</span><span><i class="dash" style="color:var(--limit)"></i>budget</span>',
    '<span><i class="dash" style="color:var(--other)"></i>without precis</span>',
    totals.compactions > 0 ? '<span><i class="box" style="background:var(--mark)"></i>compaction</span>' : "",
    `</span></figcaption>${viewChart(replay)}</figure>`,
    '<figure class="card"><figcaption><h2>Tokens sent in total</h2><span class="legend">',
    `<span><i style="color:var(--main)"></i>with precis, ${formatShort(totals.sent)}</span><span><i class="dash" style="color:var(--other)"></i>without, ${formatShort(totals.sentWithout)}</span>`,
    `</span></figcaption>${totalChart(replay)}</figure>`,
    comparedHtml(compared, facts.strategy),
    `<div class="list-head"><h2>${totals.compactions === 0 ? "Nothing had to be compacted" : totals.compactions === 1 ? "One compaction" : `${formatCount(totals.compactions)} compactions`}</h2>`,
    totals.compactions === 0
      ? ""
      : '<span class="note">open one to read its receipt and the summary message</span>',
    `</div>${replay.compactions.map(compactionHtml).join("\n")}`,
  ].join("");
}

function tiles(facts: ReplayFacts, totals: ReplayTotals): string {
  const change = (value: number, base: number): string =>
    `<span class="${value <= base ? "good" : "bad"}">${formatChange(value, base)}</span>`;
  const all: Tile[] = [
    {
      name: "Requests",
      value: formatCount(totals.requests),
      note:
        totals.firstTooLong === undefined
          ? "all would fit without precis, too"
          : `from ${formatCount(totals.firstTooLong + 1)} on, the transcript no longer fits`,
    },
    {
      name: "Tokens sent",
      value: formatShort(totals.sent),
      note: `${change(totals.sent, totals.sentWithout)}, instead of ${formatShort(totals.sentWithout)}`,
    },
    {
      name: "Unchanged prefix",
      value: formatShare(totals.unchanged),
      note:
        totals.cold > 0
          ? `cacheable; ${totals.cold} ${totals.cold === 1 ? "request" : "requests"} came after the cache had expired`
          : "cacheable",
    },
    {
      name: "Largest view",
      value: formatCount(totals.largest),
      note: `${formatShare(totals.budget === 0 ? 0 : totals.largest / totals.budget)} of the budget`,
    },
  ];
  if (totals.cost !== undefined)
    all.push({
      name: "Cost",
      value: formatDollars(totals.cost.with.total),
      note: `${change(totals.cost.with.total, totals.cost.without.total)}, instead of ${formatDollars(totals.cost.without.total)}; ${escapeHtml(facts.pricesOf ?? "")}, cache included`,
    });
  return tilesHtml(all);
}

/** One short row per request, for the script. */
function chartData(replay: Replay): unknown {
  const { sent, full } = runningTotals(replay);
  return {
    requests: replay.requests.map((request, index) => [
      request.at,
      request.tokens,
      request.full,
      request.unchanged,
      Math.round(request.pressure.after * 1e4) / 1e4,
      request.compaction === undefined ? 0 : request.compaction + 1,
      sent[index],
      full[index],
    ]),
  };
}
