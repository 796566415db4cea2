import type { Timeline } from "../../stream/timeline.ts";
import { barChart, chartWidth, ROWS } from "../bar-chart.ts";
import { formatShort } from "../format.ts";
import type { Look, Tone } from "../paint.ts";

/** Where the cache is nearly full, as a share of what it may hold. */
const WARN_AT = 0.7;

/** Tokens in the cache over time as lines of text, with a mark under every column in which it was managed. */
export function cacheChart(
  { points, managed, status }: Timeline,
  options: Look & { readonly seconds?: number },
): string[] {
  const width = chartWidth(options.columns);
  // While the stream runs, its whole length may be known, and the chart fills from the left.
  const seconds = Math.max(options.seconds ?? 0, status.time, 1e-9);
  const columnOf = (time: number): number => Math.min(width - 1, Math.floor((time / seconds) * width));
  const heights = new Array<number>(width).fill(-1);
  const marks = new Array<number>(width).fill(0);
  const raise = (time: number, tokens: number): void => {
    const column = columnOf(time);
    heights[column] = Math.max(heights[column]!, tokens);
  };
  for (const { time, tokens } of points) raise(time, tokens);
  for (const { time, tokens } of managed) {
    raise(time, tokens.before);
    marks[columnOf(time)]!++;
  }
  fillGaps(heights, columnOf(status.time));
  return barChart({
    bars: heights.map((tokens, column) => ({
      height: Math.max(0, tokens) / status.window,
      tone: toneOf(tokens / status.limit),
      marks: marks[column]!,
    })),
    labelOf: (row) =>
      row === ROWS ? formatShort(status.window) : row === ROWS / 2 ? formatShort(status.window / 2) : "",
    zero: "0",
    paint: options.paint,
  });
}

/** A column in which no step ended looks like the one before it. */
function fillGaps(heights: number[], last: number): void {
  for (let column = 1; column <= last; column++)
    if (heights[column]! < 0) heights[column] = Math.max(0, heights[column - 1]!);
}

const toneOf = (share: number): Tone => (share < WARN_AT ? "good" : share < 1 ? "warn" : "bad");
