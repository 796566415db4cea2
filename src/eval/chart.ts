/** A small line chart as SVG, without scripts: one line per contestant, a bar for each interval. */
import { escapeHtml } from "./report/escape.ts";

interface ChartPoint {
  readonly x: number;
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

export interface ChartLine {
  readonly label: string;
  /** Number of the line's colour, the same for the same contestant in every chart. */
  readonly color: number;
  readonly points: readonly ChartPoint[];
}

export interface Chart {
  readonly title: string;
  /** Names below the points, one per position on the x axis. */
  readonly ticks: readonly string[];
  readonly lines: readonly ChartLine[];
}

const WIDTH = 320;
const HEIGHT = 200;
const LEFT = 34;
const RIGHT = 10;
const TOP = 10;
const BOTTOM = 24;
const GRID = [0, 25, 50, 75, 100] as const;
/** Lines are moved apart by this much, so that intervals at the same place can be told apart. Pixels. */
const NUDGE = 3;
/** The same in a chart with one place only. */
const WIDE_NUDGE = 36;

function y(share: number): number {
  return TOP + (1 - Math.min(1, Math.max(0, share))) * (HEIGHT - TOP - BOTTOM);
}

function one(value: number): string {
  return value.toFixed(1);
}

/** The chart as an SVG element with a title for people who can't see it. */
export function chartSvg(chart: Chart): string {
  const steps = Math.max(1, chart.ticks.length - 1);
  const nudge = chart.ticks.length > 1 ? NUDGE : WIDE_NUDGE;
  const inner = WIDTH - LEFT - RIGHT;
  const margin = chart.ticks.length > 1 ? 18 : inner / 2;
  const x = (position: number, line: number) =>
    LEFT + margin + (position / steps) * (inner - 2 * margin) + (line - (chart.lines.length - 1) / 2) * nudge;
  const grid = GRID.map(
    (value) =>
      `<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${one(y(value / 100))}" y2="${one(y(value / 100))}"/>` +
      `<text class="tick" x="${LEFT - 6}" y="${one(y(value / 100) + 4)}" text-anchor="end">${value}</text>`,
  ).join("");
  const middle = (chart.lines.length - 1) / 2;
  const ticks = chart.ticks
    .map(
      (tick, position) =>
        `<text class="tick" x="${one(x(position, middle))}" y="${HEIGHT - 6}" text-anchor="middle">${escapeHtml(tick)}</text>`,
    )
    .join("");
  const lines = chart.lines.map((line, number) => lineSvg(line, (position) => x(position, number))).join("");
  return `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escapeHtml(chart.title)}"><title>${escapeHtml(chart.title)}</title>${grid}${ticks}${lines}</svg>`;
}

function lineSvg(line: ChartLine, x: (position: number) => number): string {
  const path = line.points.map((point) => `${one(x(point.x))},${one(y(point.mean))}`).join(" ");
  const points = line.points.map((point) => {
    const text = `${line.label}: ${one(100 * point.mean)} % [${one(100 * point.low)}, ${one(100 * point.high)}]`;
    return (
      `<line x1="${one(x(point.x))}" x2="${one(x(point.x))}" y1="${one(y(point.low))}" y2="${one(y(point.high))}"/>` +
      `<circle cx="${one(x(point.x))}" cy="${one(y(point.mean))}" r="3.5"><title>${escapeHtml(text)}</title></circle>`
    );
  });
  return `<g class="line c${line.color}"><polyline points="${path}"/>${points.join("")}</g>`;
}
