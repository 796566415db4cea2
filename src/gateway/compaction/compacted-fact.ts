import type { Report } from "../../core/types.ts";
import type { TimelineFact } from "../api.ts";
import { failedSummary } from "./failed-summary.ts";

/** A compaction as the timeline keeps it. */
export function compactedFact(
  report: Report,
  ms: number,
  failed = failedSummary(report),
): Extract<TimelineFact, { type: "compacted" }> {
  return {
    type: "compacted",
    reason: report.reason,
    rung: report.rungs.findLast(({ result }) => result === "used")?.rung,
    strategy: report.strategy,
    tokens: report.tokens,
    pressure: report.pressure,
    counts: report.counts,
    ms: Math.round(ms),
    cost: report.cost,
    checkpoint: report.checkpoint,
    text: report.entries
      .flatMap((entry) => (entry.type === "insert" ? [entry.message.text] : []))
      .join("\n\n"),
    ...(failed && { failed: failed.message }),
  };
}
