import type { Paint, Tone } from "./paint.ts";

/** Eighths of a line, from empty to full. */
const EIGHTHS = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];
export const ROWS = 8;
const LABEL_WIDTH = 6;
/** Wider than this, a chart is no easier to read. */
const MAX_COLUMNS = 120;

interface Bar {
  /** Of the chart's height, 0 to 1; more is cut. */
  readonly height: number;
  readonly tone: Tone;
  /** How often something happened in it that gets a mark below. */
  readonly marks: number;
}

export const chartWidth = (columns: number): number =>
  Math.max(1, Math.min(columns - LABEL_WIDTH - 1, MAX_COLUMNS));

/** Bars as lines of text. `beyond` stands on top of a bar that is cut, `labelOf` beside a row, counted from 1 below. */
export function barChart(options: {
  readonly bars: readonly Bar[];
  readonly labelOf: (row: number) => string;
  readonly zero: string;
  readonly beyond?: string;
  readonly paint: Paint;
}): string[] {
  const { bars, labelOf, zero, beyond, paint } = options;
  const lines = Array.from({ length: ROWS }, (_, index) => {
    const row = ROWS - index;
    const label = labelOf(row);
    const cells = bars.map(({ height, tone }) => {
      const eighths = Math.round(height * ROWS * 8) - (row - 1) * 8;
      const isBeyond = beyond !== undefined && row === ROWS && height > 1;
      return paint(tone, isBeyond ? beyond : EIGHTHS[Math.max(0, Math.min(8, eighths))]!);
    });
    return `${paint("dim", `${label.padStart(LABEL_WIDTH - 1)} ${label === "" ? "│" : "┤"}`)}${cells.join("")}`;
  });
  const signs = bars.map(({ marks }) => (marks === 0 ? " " : marks === 1 ? "▲" : "◆")).join("");
  return [
    ...lines,
    paint("dim", `${zero.padStart(LABEL_WIDTH - 1)} └${"─".repeat(bars.length)}`),
    `${" ".repeat(LABEL_WIDTH + 1)}${paint("accent", signs.trimEnd())}`,
  ];
}
