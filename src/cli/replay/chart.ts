import type { ReplayRequest } from "../../eval/replay/simulate.ts";
import { chartLines } from "../chart.ts";
import type { Look, Tone } from "../paint.ts";

/** A peak beyond this is cut, so that one huge result doesn't flatten everything else. */
const MAX_TOP = 1.25;
/** Where the meter turns yellow and red. */
const YELLOW_AT = 0.7;
const RED_AT = 0.9;

/** Pressure over the requests as lines of text, with a mark under every column in which a compaction happened. */
export function pressureChart(requests: readonly ReplayRequest[], look: Look): string[] {
  const highest = Math.max(1, ...requests.map(({ pressure }) => pressure.before));
  return chartLines(
    {
      points: requests.flatMap(({ pressure, compaction }, x) => [
        { x, y: pressure.before, marked: compaction !== undefined },
        { x, y: pressure.after },
      ]),
      end: requests.length,
      top: Math.min(MAX_TOP, highest),
      labels: [1, 0.5, 0].map((value) => [value, `${value * 100} %`] as const),
      toneOf,
      most: spread(requests.length),
    },
    look,
  );
}

export function chartLegend(requests: readonly ReplayRequest[]): string {
  const compacted = requests.some((request) => request.compaction !== undefined);
  const ends = requests.length > 1 ? `request 1 to ${requests.length}` : "one request";
  return compacted ? `${ends}, ▲ a compaction, ◆ several` : ends;
}

/** Few requests get several columns each. */
const spread = (requests: number): number =>
  requests < 16 ? requests * 4 : requests < 40 ? requests * 2 : requests;

const toneOf = (pressure: number): Tone =>
  pressure < YELLOW_AT ? "good" : pressure < RED_AT ? "warn" : "bad";
