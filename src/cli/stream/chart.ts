import type { Timeline } from "../../stream/timeline.ts";
import { formatShort } from "../format.ts";
import type { Paint, Tone } from "../paint.ts";

/** Eighths of a line, from empty to full. */
const EIGHTHS = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];
const ROWS = 8;
const LABEL_WIDTH = 6;
const MAX_COLUMNS = 120;
/** Where the cache is nearly full, as a share of what it may hold. */
const WARN_AT = 0.7;

/** Tokens in the cache over time as lines of text, with a mark under every column in which it was managed. */
export function cacheChart(
  { points, managed, status }: Timeline,
  options: { readonly columns: number; readonly paint: Paint; readonly seconds?: number },
): string[] {
  const { paint } = options;
  const width = Math.max(1, Math.min(options.columns - LABEL_WIDTH - 1, MAX_COLUMNS));
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
  const lines: string[] = [];
  for (let row = ROWS; row >= 1; row--) {
    const label =
      row === ROWS ? formatShort(status.window) : row === ROWS / 2 ? formatShort(status.window / 2) : "";
    const cells = heights.map((tokens) => {
      const eighths = Math.round((Math.max(0, tokens) / status.window) * ROWS * 8) - (row - 1) * 8;
      return paint(toneOf(tokens / status.limit), EIGHTHS[Math.max(0, Math.min(8, eighths))]!);
    });
    lines.push(
      `${paint("dim", `${label.padStart(LABEL_WIDTH - 1)} ${label === "" ? "│" : "┤"}`)}${cells.join("")}`,
    );
  }
  lines.push(paint("dim", `${"0".padStart(LABEL_WIDTH - 1)} └${"─".repeat(width)}`));
  const signs = marks.map((count) => (count === 0 ? " " : count === 1 ? "▲" : "◆")).join("");
  lines.push(`${" ".repeat(LABEL_WIDTH + 1)}${paint("accent", signs.trimEnd())}`);
  return lines;
}

/** A column in which no step ended looks like the one before it. */
function fillGaps(heights: number[], last: number): void {
  for (let column = 1; column <= last; column++)
    if (heights[column]! < 0) heights[column] = Math.max(0, heights[column - 1]!);
}

const toneOf = (share: number): Tone => (share < WARN_AT ? "good" : share < 1 ? "warn" : "bad");
