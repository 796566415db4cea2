import type { Report } from "../../core/types.ts";
import type { TimelineFact } from "../api.ts";
import { failedSummary } from "../compaction/failed-summary.ts";
import type { Gateway } from "../gateway.ts";
import type { Exchange } from "../v1/exchange.ts";

/** Metrics, log and timeline of what `fit` did. */
export function noteCompaction(gateway: Gateway, exchange: Exchange, report: Report, ms: number): void {
  const { metrics, totals, log } = gateway;
  const saved = report.tokens.transcript - report.tokens.after;
  totals.add("tokensBefore", report.tokens.transcript);
  totals.add("tokensAfter", report.tokens.after);
  metrics.sent.inc(report.tokens.after);
  if (saved > 0) metrics.saved.inc(saved);
  if (report.cacheHits.checkpoint) metrics.cacheHits.inc();
  if (report.cost > 0) metrics.cost.inc(report.cost);
  totals.add("cost", report.cost);
  const { known } = exchange.recording ?? {};
  if (known?.id !== undefined)
    gateway.live.send(exchange.client.tenant, {
      type: "pressure",
      conversation: known.id,
      pressure: report.pressure.after,
      tokens: report.tokens.after,
      budget: report.budget.budget,
    });
  if (report.outcome !== "compacted") return;
  totals.add("compactions");
  const fact = compactedFact(report, ms);
  metrics.compactions.inc({ rung: fact.rung ?? "none", reason: report.reason ?? "none" });
  for (const { rung, result } of report.rungs) metrics.rungs.inc({ rung, outcome: result });
  // What a client repeats that saw no compaction has other reasons.
  if (known && !gateway.config.observe) known.rounds = new Map();
  log.info(
    {
      conversation: known?.id,
      model: exchange.asked.model,
      reason: report.reason,
      rung: fact.rung,
      before: report.tokens.before,
      after: report.tokens.after,
      budget: report.budget.budget,
      ms: Math.round(ms),
      ...(report.warnings.length > 0 && { warnings: report.warnings.map(({ code }) => code) }),
      observed: gateway.config.observe,
    },
    gateway.config.observe ? "would have compacted" : "compacted",
  );
  if (known?.id !== undefined && !gateway.config.observe)
    void gateway.timeline.add(exchange.client.tenant, known.id, exchange.startedAt, fact);
}

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
