import type { ReplayRequest } from "../../eval/replay/simulate.ts";
import { barChart, chartWidth, ROWS } from "../bar-chart.ts";
import type { Look, Tone } from "../paint.ts";

/** A peak beyond this is cut, so that one huge result doesn't flatten everything else. */
const MAX_TOP = 1.25;
const BEYOND = "↑";
const LABELLED = [1, 0.5];
/** Where the meter turns yellow and red. */
const YELLOW_AT = 0.7;
const RED_AT = 0.9;

/** Pressure over the requests as lines of text, with a mark under every column in which a compaction happened. */
export function pressureChart(requests: readonly ReplayRequest[], options: Look): string[] {
  const width = Math.min(chartWidth(options.columns), Math.max(1, spread(requests.length)));
  const columns = Array.from({ length: width }, (_, column) => columnOf(requests, column, width));
  const top = Math.min(MAX_TOP, Math.max(1, ...columns.map((column) => column.pressure)));
  const lines = barChart({
    bars: columns.map(({ pressure, compactions }) => ({
      height: pressure / top,
      tone: toneOf(pressure),
      marks: compactions,
    })),
    labelOf(row) {
      const shown = LABELLED.find((pressure) => Math.ceil((pressure / top) * ROWS) === row);
      return shown === undefined ? "" : percent(shown);
    },
    zero: percent(0),
    beyond: BEYOND,
    paint: options.paint,
  });
  return columns.some(({ compactions }) => compactions > 0) ? lines : lines.slice(0, -1);
}

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

const toneOf = (pressure: number): Tone =>
  pressure < YELLOW_AT ? "good" : pressure < RED_AT ? "warn" : "bad";
