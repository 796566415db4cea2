import { RUNG_WORDS } from "../../core/words.ts";
import { escapeHtml } from "../../eval/report/escape.ts";
import { reportPage, type Tile, tilesHtml } from "../../eval/report/page.ts";
import { formatSeconds } from "../../stream/format-seconds.ts";
import { sawtooth, type Timeline } from "../../stream/timeline.ts";
import type { StreamTrace } from "../../stream/types.ts";
import { STREAM_WORDS } from "../../stream/words.ts";
import { formatCount, formatShort } from "../format.ts";
import { type StreamFacts, streamTotals } from "./text-report.ts";

/** What only this report has: the marks below the curve, and entries that open. */
const STREAM_STYLE = `
main > h2 { margin: 26px 0 10px; }
.plot .window { stroke: var(--soft); }
.tick.low { transform: translateY(20%); }
.marks { height: 20px; } .marks a, .marks i { position: absolute; transform: translateX(-50%); }
.marks a { color: var(--mark); font-size: 11px; text-decoration: none; top: 2px; }
.marks i { width: 4px; height: 4px; border-radius: 2px; background: var(--other); top: 0; }
.axis { display: flex; justify-content: space-between; margin-left: 46px; }
details.card, .said { padding: 14px 16px; }
summary { display: flex; flex-wrap: wrap; gap: 4px 14px; align-items: center; }
summary .bar { flex: 1 1 80px; }
details p { margin-top: 10px; }
.said { list-style: none; } li { overflow-wrap: anywhere; }
@media (max-width: 760px) { .axis { margin-left: 38px; } }
`;

const WIDTH = 1_000;
const HEIGHT = 260;
/** Space above the window's line. */
const HEADROOM = 1.06;

/** The timeline as a page. It has no script at all. */
export function streamPage(facts: StreamFacts, timeline: Timeline): string {
  const { status, managed, said } = timeline;
  const total = streamTotals(facts, timeline);
  const tiles: readonly Tile[] = [
    {
      name: "Stream",
      value: formatSeconds(status.time),
      note: `${formatCount(status.frames)} frames, ${formatCount(facts.turns)} turns`,
    },
    {
      name: "Managed",
      value: formatCount(total.managed),
      note: `${total.managementMs.toFixed(1)} ms in all`,
    },
    {
      name: "Largest cache",
      value: formatCount(total.largest),
      note: `of a window of ${formatCount(status.window)}`,
    },
    { name: "Left the cache", value: formatShort(total.dropped), note: "tokens" },
  ];
  return reportPage({
    kind: "precis stream",
    title: facts.file,
    facts: [
      STREAM_WORDS.strategies[facts.strategy],
      `window ${formatShort(status.window)}`,
      `managed at ${formatCount(status.limit)}`,
      `${facts.tokensPerFrame} tokens per frame`,
      facts.cache,
    ],
    style: STREAM_STYLE,
    body: [
      tilesHtml(tiles),
      `<figure class="card"><figcaption><h2>Tokens in the cache</h2><span class="note">lines: window and limit; marks: managed; dots: the assistant spoke</span></figcaption>${plot(timeline)}</figure>`,
      `<h2>${managed.length === 0 ? "The cache was never full" : managed.length === 1 ? "Managed once" : `Managed ${formatCount(managed.length)} times`}</h2>`,
      ...managed.map(entryHtml),
      said.length === 0
        ? ""
        : `<h2>What was said</h2><ul class="card said">${said.map(({ time, text }) => `<li><span class="note">${formatSeconds(time)}</span> ${escapeHtml(text)}</li>`).join("")}</ul>`,
    ],
  });
}

/** The saw-tooth of the cache, with the limit, the window, and marks that lead to each management. */
function plot({ points, managed, said, status }: Timeline): string {
  const seconds = Math.max(status.time, 1e-9);
  const top = status.window * HEADROOM;
  const x = (time: number): number => round((time / seconds) * WIDTH);
  const y = (tokens: number): number => round(HEIGHT - (tokens / top) * HEIGHT);
  const saw = sawtooth({ points, managed });
  const line = saw
    .map(({ time, tokens }, index) => `${index === 0 ? "M" : "L"}${x(time)},${y(tokens)}`)
    .join("");
  const rule = (name: string, tokens: number): string =>
    `<line class="${name}" x1="0" x2="${WIDTH}" y1="${y(tokens)}" y2="${y(tokens)}"/>`;
  const percent = (value: number, of: number): string => `${round((value / of) * 100)}%`;
  return [
    `<div class="plot"><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="Tokens in the cache over time">`,
    line === ""
      ? ""
      : `<path class="area" d="${line}L${x(saw.at(-1)?.time ?? 0)},${HEIGHT}L${x(saw[0]?.time ?? 0)},${HEIGHT}Z"/><path class="main" d="${line}"/>`,
    rule("limit", status.limit),
    rule("window", status.window),
    "</svg>",
    `<span class="tick" style="top:${percent(y(status.window), HEIGHT)}">${formatShort(status.window)}</span>`,
    `<span class="tick low" style="top:${percent(y(status.limit), HEIGHT)}">${formatShort(status.limit)}</span>`,
    '</div><div class="marks">',
    ...said.map(({ time }) => `<i style="left:${percent(x(time), WIDTH)}"></i>`),
    ...managed.map(
      ({ time }, index) =>
        `<a href="#m${index + 1}" style="left:${percent(x(time), WIDTH)}" aria-label="management ${index + 1}">▲</a>`,
    ),
    `</div><div class="axis note"><span>0</span><span>${formatSeconds(status.time)}</span></div>`,
  ].join("");
}

function entryHtml(entry: StreamTrace, index: number): string {
  const { tokens, rungs = [], warnings, kept = [] } = entry;
  const share = tokens.before === 0 ? 0 : (tokens.after / tokens.before) * 100;
  const notes = [
    ...rungs.map(
      ({ rung, result, note }) => `${RUNG_WORDS[rung]}: ${result}${note === undefined ? "" : ` (${note})`}`,
    ),
    ...kept.map(({ from, to }) => `kept tokens ${formatCount(from)} to ${formatCount(to)}`),
    ...warnings,
  ];
  const text = (name: string, value: string | undefined): string =>
    value === undefined ? "" : `<h3>${name}</h3><pre>${escapeHtml(value)}</pre>`;
  return [
    `<details class="card" id="m${index + 1}"><summary><b>${index + 1}</b><span>${formatSeconds(entry.time)}, frame ${formatCount(entry.frame)}</span>`,
    `<span class="chip">${STREAM_WORDS.actions[entry.action]}</span><span>${formatCount(tokens.before)} → <b>${formatCount(tokens.after)}</b> tokens</span><span class="bar"><b style="width:${share.toFixed(1)}%"></b></span></summary>`,
    `<p class="note">${escapeHtml([`${entry.durationMs.toFixed(1)} ms`, `because ${STREAM_WORDS.reasons[entry.reason]}`, ...notes].join(" · "))}</p>`,
    text("Question", entry.query?.text),
    text("Summary", entry.summary),
    text("System message that took the cache's place", entry.head),
    "</details>",
  ].join("");
}

const round = (value: number): number => Math.round(value * 10) / 10;
