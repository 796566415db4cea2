import { leadLength } from "../../core/rounds.ts";
import type { RecalledPassage, Report } from "../../core/types.ts";
import type { TimelineFact } from "../api.ts";
import { compactedFact } from "../compaction/compacted-fact.ts";
import { addSpent } from "../telemetry/totals.ts";
import type { Turn, TurnParts } from "./turn.ts";

/** Metrics, totals, log, pages and timeline are told what `fit` did. */
export function noteFit(
  parts: Pick<TurnParts, "metrics" | "totals" | "log" | "live" | "timeline">,
  turn: Turn,
  report: Report,
  ms: number,
): void {
  const { metrics, totals, log, live, timeline } = parts;
  const { tenant } = turn.client;
  const { isObserved } = turn;
  const saved = report.tokens.transcript - report.tokens.after;
  metrics.pressure.observe(report.pressure.before);
  totals.add(tenant, "tokensBefore", report.tokens.transcript);
  totals.add(tenant, "tokensAfter", report.tokens.after);
  metrics.sent.inc(report.tokens.after);
  if (saved > 0) metrics.saved.inc(saved);
  if (report.cacheHits.checkpoint) metrics.cacheHits.inc();
  if (report.cost > 0) metrics.cost.inc(report.cost);
  addSpent(totals, tenant, report);
  const { known } = turn.recording ?? {};
  if (known?.id !== undefined)
    live.send(tenant, {
      type: "pressure",
      conversation: known.id,
      pressure: report.pressure.after,
      tokens: report.tokens.after,
      budget: report.budget.budget,
    });
  if (known?.id !== undefined && !isObserved && report.recalled.length > 0)
    void timeline.add(tenant, known.id, turn.startedAt, recalledFact(turn, report.recalled));
  if (report.outcome !== "compacted") return;
  totals.add(tenant, "compactions");
  const fact = compactedFact(report, ms);
  metrics.compactions.inc({ rung: fact.rung ?? "none", reason: report.reason ?? "none" });
  for (const { rung, result } of report.rungs) metrics.rungs.inc({ rung, outcome: result });
  // What a client repeats that saw no compaction has other reasons.
  if (known && !isObserved) known.rounds = new Map();
  log.info(
    {
      conversation: known?.id,
      model: turn.asked.model,
      reason: report.reason,
      rung: fact.rung,
      before: report.tokens.before,
      after: report.tokens.after,
      budget: report.budget.budget,
      ms: Math.round(ms),
      ...(report.warnings.length > 0 && { warnings: report.warnings.map(({ code }) => code) }),
      observed: isObserved,
    },
    isObserved ? "would have compacted" : "compacted",
  );
  if (known?.id !== undefined && !isObserved) void timeline.add(tenant, known.id, turn.startedAt, fact);
}

/** The engine counts leading system messages among the messages, the API doesn't. */
function recalledFact({ asked, wire }: Turn, recalled: readonly RecalledPassage[]): TimelineFact {
  const lead = leadLength(asked.transcript, (message) => wire.dialect.read(message).role);
  return {
    type: "recalled",
    before: asked.transcript.length - 1 - lead,
    from: [...new Set(recalled.map(({ index }) => index - lead))].sort((a, b) => a - b),
    words: [...new Set(recalled.flatMap(({ words }) => words))],
  };
}
