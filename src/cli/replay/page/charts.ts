import type { Replay } from "../../../eval/replay/simulate.ts";
import { formatShort } from "../../format.ts";

const WIDTH = 1000;
const HEIGHT = 300;
/** Space above the highest point. */
const HEADROOM = 1.08;
/** A peak beyond this share of the budget is cut, so that one huge result doesn't flatten everything else. */
const MAX_TOP = 1.3;
/** A mark needs this much of the width for its number (percent), on a large screen and on a phone. */
const MARK_WIDTH = 2.2;
const MARK_WIDTH_PHONE = 6;

/** A chart: the plot, its scale, and marks for compactions under it. */
export function viewChart(replay: Replay): string {
  const { requests, compactions } = replay;
  const budget = Math.max(...requests.map((request) => request.budget));
  const peak = Math.max(
    ...requests.map((request) => Math.max(request.tokens, before(request.pressure, request.budget))),
  );
  const top = Math.min(Math.max(budget, peak), budget * MAX_TOP) * HEADROOM;
  const x = scaleX(requests.length);
  const y = scaleY(top);
  // At a compaction the line rises to what the view had grown to and falls to what it became.
  const points = requests.flatMap((request, index) => {
    const grown = before(request.pressure, request.budget);
    const after: Point = [x(index), y(request.tokens)];
    return request.compaction === undefined ? [after] : [[x(index), y(grown)] as Point, after];
  });
  const full = requests.map((request, index): Point => [x(index), y(request.full)]);
  const seams = compactions.map(({ request }) => verticalLine("seam", x(request)));
  return [
    plotOpen("view", "Tokens of the view at each request, with the budget as a line", ""),
    grid(top, y),
    ...seams,
    `<path class="area" d="${line(points)}L${last(points)},${HEIGHT}L${first(points)},${HEIGHT}Z"/>`,
    `<path class="without" d="${line(full)}"/>`,
    `<path class="main" d="${line(points)}"/>`,
    `<line class="limit" x1="0" x2="${WIDTH}" y1="${y(budget)}" y2="${y(budget)}"/>`,
    "</svg>",
    ticks(top, y),
    "</div>",
    marks(replay, x),
    axis(requests.length),
  ].join("");
}

/** What was sent in total, with precis and without. */
export function totalChart(replay: Replay): string {
  const { requests } = replay;
  const { sent, full } = runningTotals(replay);
  const top = Math.max(sent.at(-1) ?? 0, full.at(-1) ?? 0) * HEADROOM;
  const x = scaleX(requests.length);
  const y = scaleY(top);
  const sentPoints = sent.map((value, index): Point => [x(index), y(value)]);
  const fullPoints = full.map((value, index): Point => [x(index), y(value)]);
  return [
    plotOpen("total", "Tokens sent in total, with and without precis", " low"),
    grid(top, y),
    `<path class="area" d="${line(sentPoints)}L${last(sentPoints)},${HEIGHT}L${first(sentPoints)},${HEIGHT}Z"/>`,
    `<path class="without" d="${line(fullPoints)}"/>`,
    `<path class="main" d="${line(sentPoints)}"/>`,
    "</svg>",
    ticks(top, y),
    `<span class="tick x first" style="left:0">request 1</span><span class="tick x last" style="left:100%">${requests.length}</span>`,
    '</div><div class="axis"></div>',
  ].join("");
}

/** Tokens sent up to and including each request. */
export function runningTotals(replay: Replay): {
  readonly sent: readonly number[];
  readonly full: readonly number[];
} {
  let sentSum = 0;
  let fullSum = 0;
  const sent: number[] = [];
  const full: number[] = [];
  for (const request of replay.requests) {
    sentSum += request.tokens + request.tools;
    fullSum += request.full + request.tools;
    sent.push(sentSum);
    full.push(fullSum);
  }
  return { sent, full };
}

type Point = readonly [x: number, y: number];

const before = (pressure: { readonly before: number }, budget: number): number => pressure.before * budget;

const scaleX = (count: number) => (index: number) => round(((index + 0.5) / count) * WIDTH);
const scaleY = (top: number) => (value: number) => round(HEIGHT - (value / top) * HEIGHT);
const round = (value: number): number => Math.round(value * 10) / 10;

const line = (points: readonly Point[]): string =>
  points.map(([px, py], index) => `${index === 0 ? "M" : "L"}${px},${py}`).join("");
const first = (points: readonly Point[]): number => points[0]?.[0] ?? 0;
const last = (points: readonly Point[]): number => points.at(-1)?.[0] ?? 0;

const verticalLine = (name: string, px: number): string =>
  `<line class="${name}" x1="${px}" x2="${px}" y1="0" y2="${HEIGHT}"/>`;

const plotOpen = (kind: string, label: string, size: string): string =>
  `<div class="plot${size}" data-kind="${kind}" tabindex="0" role="img" aria-label="${label}"><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true">`;

/** Round numbers for the scale: three to five of them. */
export function scaleSteps(top: number): readonly number[] {
  const rough = top / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((value) => value >= rough) ?? rough;
  const steps: number[] = [];
  for (let value = 0; value <= top; value += step) steps.push(value);
  return steps;
}

const grid = (top: number, y: (value: number) => number): string =>
  scaleSteps(top)
    .map((value) => `<line class="grid" x1="0" x2="${WIDTH}" y1="${y(value)}" y2="${y(value)}"/>`)
    .join("");

const ticks = (top: number, y: (value: number) => number): string =>
  scaleSteps(top)
    .map(
      (value) =>
        `<span class="tick" style="top:${round((y(value) / HEIGHT) * 100)}%">${formatShort(value)}</span>`,
    )
    .join("");

function marks(replay: Replay, x: (index: number) => number): string {
  if (replay.compactions.length === 0) return "";
  let before = Number.NEGATIVE_INFINITY;
  const links = replay.compactions.map(({ request }, index) => {
    const left = round((x(request) / WIDTH) * 100);
    const gap = left - before;
    before = left;
    const size = gap < MARK_WIDTH ? " dot" : gap < MARK_WIDTH_PHONE ? " near" : "";
    return `<a class="mark${size}" style="left:${left}%" href="#c${index + 1}" aria-label="compaction ${index + 1}">${index + 1}</a>`;
  });
  return `<div class="marks">${links.join("")}</div>`;
}

const axis = (count: number): string =>
  `<div class="marks"><span class="tick x first" style="left:0;top:0;margin:0">request 1</span><span class="tick x last" style="left:100%;top:0;margin:0">${count}</span></div>`;
