import { leadLength } from "../../core/rounds.ts";
import type { RecalledPassage } from "../../core/types.ts";
import type { TimelineFact } from "../api.ts";
import { compactedFact } from "../compaction/compacted-fact.ts";
import type { TurnTrace } from "../telemetry/open-telemetry.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import { factOf, type Happening, type RequestListener, type RunningRequest } from "./running-request.ts";

type Fitted = Extract<Happening, { type: "fitted" }>;

/** Everybody who hears of requests, but for the store. */
export function requestListeners(
  parts: Pick<Telemetry, "metrics" | "log" | "timeline" | "live" | "tracing" | "now">,
): readonly RequestListener[] {
  return [metered(parts), logged(parts), onTimeline(parts), shown(parts), traced(parts)];
}

/** Prometheus. */
function metered({ metrics }: Pick<Telemetry, "metrics">): RequestListener {
  const fitted = ({ report }: Fitted): void => {
    const saved = report.tokens.transcript - report.tokens.after;
    metrics.pressure.observe(report.pressure.before);
    metrics.sent.inc(report.tokens.after);
    if (saved > 0) metrics.saved.inc(saved);
    if (report.cacheHits.checkpoint) metrics.cacheHits.inc();
    if (report.outcome !== "compacted") return;
    const rung = report.rungs.findLast(({ result }) => result === "used")?.rung;
    metrics.compactions.inc({ rung: rung ?? "none", reason: report.reason ?? "none" });
    for (const one of report.rungs) metrics.rungs.inc({ rung: one.rung, outcome: one.result });
  };
  return {
    begun: ({ start }) => {
      if (isOfClients(start.kind)) metrics.active.add(1);
    },
    happened(_, what) {
      switch (what.type) {
        case "fitted":
          return fitted(what);
        case "summarised":
          return metrics.compactions.inc({ rung: "summarize", reason: "client" });
        case "rejected":
          return;
        case "retried":
          return metrics.rejected.inc({ result: what.result });
        case "tool-call":
          return metrics.hostedCalls.inc({ tool: what.tool });
        case "hidden-round":
          metrics.hiddenRounds.inc();
          if (!what.usage) return;
          metrics.hiddenTokens.inc({ kind: "input" }, what.usage.input);
          return metrics.hiddenTokens.inc({ kind: "output" }, what.usage.output ?? 0);
        case "loop":
          return metrics.loops.inc();
        default:
          return what satisfies never;
      }
    },
    ended(request) {
      const { start, status, action, usage, ownMs } = request;
      if (start.kind === "summary" && request.row().spend) metrics.cost.inc(request.row().spend);
      if (!isOfClients(start.kind)) return;
      metrics.active.add(-1);
      metrics.seconds.observe((performance.now() - request.began) / 1_000);
      metrics.requests.add(start.api, `${Math.floor(status / 100)}xx`, action);
      if (ownMs !== undefined) metrics.ownSeconds.observe(ownMs / 1_000);
      if (usage?.cacheRead) metrics.cachedTokens.inc(usage.cacheRead);
    },
  };
}

/** Neither summaries nor compactions by hand, which nobody sent through here. */
const isOfClients = (kind: RunningRequest["start"]["kind"]): boolean => kind === "client" || kind === "page";

function logged({ log }: Pick<Telemetry, "log">): RequestListener {
  return {
    happened({ turn, conversation }, what) {
      const of = { conversation, model: turn?.asked.model };
      if (what.type === "summarised") {
        const before = what.report.tokens.transcript;
        log.info(
          { model: of.model, before, after: what.tokens },
          "summarised for a client that asked the provider for it",
        );
      } else if (what.type === "rejected") {
        const { tokens, limit, learned } = what;
        const upstream = turn?.upstream?.name;
        log.warn(
          { model: of.model, upstream, tokens, limit, learned },
          "the upstream refused a request as too long; compacting harder",
        );
      } else if (what.type === "loop") {
        const { tool, rounds } = what;
        log.warn(
          { conversation, tool, rounds },
          "the same tool round came back again and again after a compaction",
        );
      } else if (what.type === "fitted" && what.report.outcome === "compacted") {
        const { report, ms, isObserved } = what;
        log.info(
          {
            ...of,
            reason: report.reason,
            rung: report.rungs.findLast(({ result }) => result === "used")?.rung,
            before: report.tokens.before,
            after: report.tokens.after,
            budget: report.budget.budget,
            ms: Math.round(ms),
            ...(report.warnings.length > 0 && { warnings: report.warnings.map(({ code }) => code) }),
            observed: isObserved,
          },
          isObserved ? "would have compacted" : "compacted",
        );
      }
    },
    ended({ start, turn, status, action, began, tenant, conversation }) {
      if (!log.isLevelEnabled("debug") || !isOfClients(start.kind)) return;
      const names = turn && { model: turn.asked.model, conversation, tenant };
      log.debug(
        { path: start.path, status, action, ms: Math.round(performance.now() - began), ...names },
        "request",
      );
    },
  };
}

/** What a conversation's own timeline tells, as it happens, each with the request that it happened in. */
function onTimeline({ timeline, now }: Pick<Telemetry, "timeline" | "now">): RequestListener {
  const factFrom = (what: Happening): TimelineFact | undefined => {
    switch (what.type) {
      case "fitted":
        return what.report.outcome === "compacted" && !what.isObserved
          ? compactedFact(what.report, what.ms)
          : undefined;
      case "rejected":
        return { type: "rejected", tokens: what.tokens, limit: what.limit };
      case "loop":
        return { type: "loop", tool: what.tool, rounds: what.rounds };
      default:
        return undefined;
    }
  };
  return {
    happened(request, what) {
      const { tenant, conversation, id } = request;
      if (tenant === undefined || conversation === undefined) return;
      const at = what.type === "fitted" ? request.startedAt : now();
      const of = { request: id };
      if (what.type === "fitted" && !what.isObserved && what.report.recalled.length > 0)
        void timeline.add(tenant, conversation, at, {
          ...recalledFact(request, what.report.recalled),
          ...of,
        });
      const fact = factFrom(what);
      if (fact) void timeline.add(tenant, conversation, at, { ...fact, ...of });
    },
    ended() {},
  };
}

/** The engine counts leading system messages among the messages, the API doesn't. */
function recalledFact({ turn }: RunningRequest, recalled: readonly RecalledPassage[]): TimelineFact {
  const { asked, wire } = turn!;
  const lead = leadLength(asked.transcript, (message) => wire!.dialect.read(message).role);
  return {
    type: "recalled",
    before: asked.transcript.length - 1 - lead,
    from: [...new Set(recalled.map(({ index }) => index - lead))].sort((a, b) => a - b),
    words: [...new Set(recalled.flatMap(({ words }) => words))],
  };
}

/** Pages that are open. */
function shown({ live }: Pick<Telemetry, "live">): RequestListener {
  return {
    happened({ tenant, conversation }, what) {
      if (what.type !== "fitted" || tenant === undefined || conversation === undefined) return;
      const { pressure, tokens, budget } = what.report;
      live.send(tenant, {
        type: "pressure",
        conversation,
        pressure: pressure.after,
        tokens: tokens.after,
        budget: budget.budget,
      });
    },
    ended(request) {
      const { tenant, hasRecord, conversation } = request;
      if (tenant === undefined || !hasRecord || !live.hasListeners) return;
      live.send(tenant, { type: "request", ...factOf(request.row(), conversation) });
    },
  };
}

/** OpenTelemetry. */
function traced({ tracing, now }: Pick<Telemetry, "tracing" | "now">): RequestListener {
  const traces = new WeakMap<RunningRequest, TurnTrace>();
  return {
    run(request, work) {
      if (!isOfClients(request.start.kind)) return work();
      const startedAt = now() - (performance.now() - request.began);
      const trace = tracing.begin(request.start.headers, startedAt);
      traces.set(request, trace);
      return trace.run(work);
    },
    ended(request) {
      traces.get(request)?.end(factOf(request.row(), request.conversation));
    },
  };
}
