import type { ReplayRequest } from "../../eval/replay/simulate.ts";
import type { Paint } from "../paint.ts";

/** Eighths of a line, from empty to full. */
const EIGHTHS = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];
const ROWS = 8;
const LABEL_WIDTH = 6;
/** A peak beyond this is cut, so that one huge result doesn't flatten everything else. */
const MAX_TOP = 1.25;
const BEYOND = "↑";
const LABELLED = [1, 0.5];
/** Wider than this, a chart is no easier to read. */
const MAX_COLUMNS = 120;
/** Where the meter turns yellow and red. */
const YELLOW_AT = 0.7;
const RED_AT = 0.9;

/** Pressure over the requests as lines of text, with a mark under every column in which a compaction happened. */
export function pressureChart(
  requests: readonly ReplayRequest[],
  options: { columns: number; paint: Paint },
): string[] {
  const { paint } = options;
  const width = Math.max(
    1,
    Math.min(options.columns - LABEL_WIDTH - 1, MAX_COLUMNS, spread(requests.length)),
  );
  const columns = Array.from({ length: width }, (_, column) => columnOf(requests, column, width));
  const top = Math.min(MAX_TOP, Math.max(1, ...columns.map((column) => column.pressure)));
  const lines: string[] = [];
  for (let row = ROWS; row >= 1; row--) {
    const shown = LABELLED.find((pressure) => Math.ceil((pressure / top) * ROWS) === row);
    const label = shown === undefined ? "" : percent(shown);
    const cells = columns.map(({ pressure }) => {
      const eighths = Math.round((pressure / top) * ROWS * 8) - (row - 1) * 8;
      const isBeyond = row === ROWS && pressure > MAX_TOP;
      return paint(toneOf(pressure), isBeyond ? BEYOND : EIGHTHS[Math.max(0, Math.min(8, eighths))]!);
    });
    lines.push(
      `${paint("dim", `${label.padStart(LABEL_WIDTH - 1)} ${label === "" ? "│" : "┤"}`)}${cells.join("")}`,
    );
  }
  lines.push(paint("dim", `${"0 %".padStart(LABEL_WIDTH - 1)} └${"─".repeat(width)}`));
  if (columns.some((column) => column.compactions > 0)) {
    const marks = columns.map(({ compactions }) => (compactions === 0 ? " " : compactions === 1 ? "▲" : "◆"));
    lines.push(`${" ".repeat(LABEL_WIDTH + 1)}${paint("accent", marks.join("").trimEnd())}`);
  }
  return lines;
}

/** What the marks under the chart mean. */
export function chartLegend(requests: readonly ReplayRequest[]): string {
  const compacted = requests.some((request) => request.compaction !== undefined);
  const ends = requests.length > 1 ? `request 1 to ${requests.length}` : "one request";
  return compacted ? `${ends}, ▲ a compaction, ◆ several` : ends;
}

interface Column {
  readonly pressure: number;
  readonly compactions: number;
}

/** Few requests get several columns each. */
const spread = (requests: number): number =>
  requests < 16 ? requests * 4 : requests < 40 ? requests * 2 : requests;

/** The highest pressure of the requests that share a column: the peak before a compaction must not vanish. */
function columnOf(requests: readonly ReplayRequest[], column: number, width: number): Column {
  const from = Math.floor((column * requests.length) / width);
  const to = Math.max(from + 1, Math.floor(((column + 1) * requests.length) / width));
  const group = requests.slice(from, to);
  const isFirst =
    column === 0 || Math.floor(((column - 1) * requests.length) / width) !== from || to - from > 1;
  return {
    pressure: Math.max(
      0,
      ...group.map((request) => (isFirst ? request.pressure.before : request.pressure.after)),
    ),
    compactions: isFirst ? group.filter((request) => request.compaction !== undefined).length : 0,
  };
}

const percent = (ratio: number): string => `${Math.round(ratio * 100)} %`;

const toneOf = (pressure: number): "good" | "warn" | "bad" =>
  pressure < YELLOW_AT ? "good" : pressure < RED_AT ? "warn" : "bad";
