import type { Report } from "../../core/types.ts";
import type { FailedSummary, TimelineFact } from "../api.ts";

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
    ...(failed && { failed: failed.message }),
    ...(report.warnings.length > 0 && { warnings: report.warnings.map(({ code }) => code) }),
    ...(report.summaryCheck && { summaryCheck: report.summaryCheck }),
    ...(report.summarizer?.key && { key: report.summarizer.key }),
  };
}

/** The name of the class, which notes of calls begin with, is nothing to people. */
const CLASS_NAME = /^\w*Error: /;

/**
 * What a compaction says about a model that was asked for its summary and failed: nothing, if another try was good.
 * `told` is what the model's failure said while this compaction waited for it.
 */
export function failedSummary(
  { modelCalls, rungs, outcome }: Pick<Report, "modelCalls" | "rungs" | "outcome">,
  told?: string,
): FailedSummary | undefined {
  const last = modelCalls.some(({ result }) => result === "accepted") ? undefined : modelCalls.at(-1);
  const message = told ?? last?.note?.replace(CLASS_NAME, "");
  if (message === undefined) return undefined;
  const used = rungs.findLast(({ result }) => result === "used")?.rung;
  return { message, fallback: outcome === "compacted" ? used : undefined };
}
