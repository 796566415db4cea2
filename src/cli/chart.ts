import type { Look, Tone } from "./paint.ts";

/** Eighths of a line, from empty to full. */
const EIGHTHS = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];
const ROWS = 8;
const LABEL_WIDTH = 6;
/** Wider than this, a chart is no easier to read. */
const MAX_COLUMNS = 120;
/** Stands on top of a bar that is cut. */
const BEYOND = "↑";

/** A value from here on, until the next one. `marked`: something happened to it here. */
interface Point {
  readonly x: number;
  readonly y: number;
  readonly marked?: boolean;
}

/**
 * Values over time as bars of text, with a mark under every bar in which something happened. A bar has the highest value of its time:
 * what was high before it fell must not vanish.
 */
export function chartLines(
  {
    points,
    end,
    top,
    labels,
    toneOf,
    most = MAX_COLUMNS,
  }: {
    readonly points: readonly Point[];
    /** Where the last bar ends. */
    readonly end: number;
    /** The value of a full bar; more is cut. */
    readonly top: number;
    /** What stands beside which values, and beside 0. */
    readonly labels: readonly (readonly [value: number, text: string])[];
    readonly toneOf: (value: number) => Tone;
    /** Bars at most. */
    readonly most?: number;
  },
  { columns, paint }: Look,
): string[] {
  const width = Math.max(1, Math.min(columns - LABEL_WIDTH - 1, MAX_COLUMNS, most));
  const bars = Array.from({ length: width }, () => ({ value: -1, last: -1, marks: 0 }));
  for (const { x, y, marked } of points) {
    const bar = bars[Math.min(width - 1, Math.floor((x / end) * width))]!;
    bar.value = Math.max(bar.value, y);
    bar.last = y;
    if (marked) bar.marks++;
  }
  for (const [at, bar] of bars.entries())
    if (bar.value < 0) bar.value = bar.last = Math.max(0, bars[at - 1]?.last ?? 0);
  const labelOf = (row: number): string =>
    labels.find(([value]) => Math.ceil((value / top) * ROWS) === row)?.[1] ?? "";
  const lines = Array.from({ length: ROWS }, (_, index) => {
    const row = ROWS - index;
    const label = labelOf(row);
    const cells = bars.map(({ value }) => {
      const eighths = Math.round((value / top) * ROWS * 8) - (row - 1) * 8;
      const isCut = row === ROWS && value > top;
      return paint(toneOf(value), isCut ? BEYOND : EIGHTHS[Math.max(0, Math.min(8, eighths))]!);
    });
    return `${paint("dim", `${label.padStart(LABEL_WIDTH - 1)} ${label === "" ? "│" : "┤"}`)}${cells.join("")}`;
  });
  const marks = bars.map(({ marks }) => (marks === 0 ? " " : marks === 1 ? "▲" : "◆")).join("");
  return [
    ...lines,
    paint("dim", `${labelOf(0).padStart(LABEL_WIDTH - 1)} └${"─".repeat(width)}`),
    ...(marks.trim() === "" ? [] : [`${" ".repeat(LABEL_WIDTH + 1)}${paint("accent", marks.trimEnd())}`]),
  ];
}
