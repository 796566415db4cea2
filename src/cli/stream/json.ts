import type { Timeline } from "../../stream/timeline.ts";
import { type StreamFacts, streamTotals } from "./text-report.ts";

/** Raised when a field of `StreamJson` changes its meaning or goes; new fields don't raise it. */
const STREAM_FORMAT = "precis-stream/1";

/** What `precis stream --json` prints; `docs/reference/stream-json.md` describes it field by field. */
export interface StreamJson extends StreamFacts, Timeline {
  readonly format: typeof STREAM_FORMAT;
  readonly totals: ReturnType<typeof streamTotals>;
}

export function streamJson(facts: StreamFacts, { status, points, said, managed }: Timeline): StreamJson {
  const totals = streamTotals(facts, { status, points, said, managed });
  return { format: STREAM_FORMAT, ...facts, totals, status, points, said, managed };
}
