import type { Report } from "../../core/types.ts";
import { eventId } from "../conversation/timeline.ts";
import type { TurnTrace } from "../telemetry/open-telemetry.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import { factOf, factsOf, type RequestListener, type RunningRequest } from "./running-request.ts";

/** Everybody who hears of requests, but for the store. Each does its own work, and all but people who look on at the end alone. */
export function requestListeners(
  parts: Pick<Telemetry, "metrics" | "log" | "live" | "tracing" | "now">,
): readonly RequestListener[] {
  return [metered(parts), logged(parts), shown(parts), ...(parts.tracing.isOn ? [traced(parts)] : [])];
}

/** Prometheus. */
function metered({ metrics }: Pick<Telemetry, "metrics">): RequestListener {
  const checked = (check: Report["summaryCheck"]): void => {
    if (!check) return;
    const { model, used, missed, added } = check;
    // Words of a host's own have a hash in their version.
    const prompt = check.prompt.replace(/-.*/, "");
    metrics.summaryNames.inc({ model, prompt, result: "said" }, used - missed.length);
    metrics.summaryNames.inc({ model, prompt, result: "missed" }, missed.length - added.length);
    metrics.summaryNames.inc({ model, prompt, result: "added" }, added.length);
  };
  const fitted = (report: Report): void => {
    metrics.pressure.observe(report.pressure.before);
    if (report.cacheHits.checkpoint) metrics.cacheHits.inc();
    if (report.outcome !== "compacted") return;
    checked(report.summaryCheck);
    metrics.compactions.inc({ rung: usedRung(report) ?? "none", reason: report.reason ?? "none" });
    for (const one of report.rungs) metrics.rungs.inc({ rung: one.rung, outcome: one.result });
  };
  const add = (what: RunningRequest["happenings"][number]): void => {
    if (what.type === "fitted") fitted(what.report);
    else if (what.type === "summarised") metrics.compactions.inc({ rung: "summarize", reason: "client" });
    else if (what.type === "retried") metrics.rejected.inc({ result: what.result });
    else if (what.type === "tool-call") metrics.hostedCalls.inc({ tool: what.tool });
    else if (what.type === "loop") metrics.loops.inc();
    else if (what.type === "repeated") metrics.repeated.inc(what.calls.length);
    else if (what.type === "hidden-round") {
      metrics.hiddenRounds.inc();
      if (!what.usage) return;
      metrics.hiddenTokens.inc({ kind: "input" }, what.usage.input);
      metrics.hiddenTokens.inc({ kind: "output" }, what.usage.output ?? 0);
    } else if (what.type === "noted" && what.fact.type === "compacted") checked(what.fact.summaryCheck);
    else if (what.type === "noted" && what.fact.type === "failed")
      metrics.summaryFailures.inc({ fallback: what.fact.fallback ?? "none" });
  };
  return {
    begun: ({ start }) => {
      if (isOfClients(start.kind)) metrics.active.inc();
    },
    ended(request) {
      const { start, status, action, ownMs } = request;
      for (const what of request.happenings) add(what);
      const row: Partial<ReturnType<typeof request.row>> = hasTokens(request) ? request.row() : {};
      const { spend = 0, saved = 0, tokensBefore = 0, tokensAfter = 0, spared = 0, cacheRead = 0 } = row;
      if (start.kind === "summary") metrics.cost.inc(spend);
      if (!isOfClients(start.kind)) return;
      metrics.spend.inc(spend);
      metrics.sent.inc(tokensAfter);
      // A counter only grows: what loading a tool cost beyond what it spared is in the totals.
      metrics.saved.inc(Math.max(0, tokensBefore - tokensAfter + spared));
      if (saved > 0) metrics.savedDollars.inc(saved);
      else metrics.lostDollars.inc(-saved);
      metrics.active.dec();
      metrics.seconds.observe((performance.now() - request.began) / 1_000);
      metrics.requests.inc({ api: start.api, status: `${Math.floor(status / 100)}xx`, action });
      if (ownMs !== undefined) metrics.ownSeconds.observe(ownMs / 1_000);
      metrics.cachedTokens.inc(cacheRead);
    },
  };
}

const hasTokens = ({ hasRecord, usage, report, spend }: RunningRequest): boolean =>
  hasRecord && (usage !== undefined || report !== undefined || spend !== undefined);

const usedRung = ({ rungs }: Report) => rungs.findLast(({ result }) => result === "used")?.rung;

/** Neither summaries nor compactions by hand, which nobody sent through here. */
const isOfClients = (kind: RunningRequest["start"]["kind"]): boolean => kind === "client" || kind === "page";

function logged({ log }: Pick<Telemetry, "log">): RequestListener {
  const tell = ({ turn, conversation }: RunningRequest, what: RunningRequest["happenings"][number]): void => {
    const model = turn?.asked.model;
    if (what.type === "summarised") {
      log.info(
        { model, before: what.report.tokens.transcript, after: what.tokens },
        "summarised for a client that asked the provider for it",
      );
    } else if (what.type === "rejected") {
      const { tokens, limit, learned } = what;
      log.warn(
        { model, upstream: turn?.upstream?.name, tokens, limit, learned },
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
          conversation,
          model,
          reason: report.reason,
          rung: usedRung(report),
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
  };
  return {
    ended(request) {
      for (const what of request.happenings) tell(request, what);
      const { start, turn, status, action, began, tenant, conversation } = request;
      if (!log.isLevelEnabled("debug") || !isOfClients(start.kind)) return;
      const names = turn && { model: turn.asked.model, conversation, tenant };
      log.debug(
        { path: start.path, status, action, ms: Math.round(performance.now() - began), ...names },
        "request",
      );
    },
  };
}

/** Pages that are open: what happened, as soon as its conversation is known, and the request when it has ended. */
function shown({ live }: Pick<Telemetry, "live">): RequestListener {
  const told = new WeakMap<RunningRequest, number>();
  const tellFacts = (request: RunningRequest): void => {
    const { tenant, conversation, id, cause, startedAt, happenings } = request;
    if (tenant === undefined || conversation === undefined || happenings.length === 0) return;
    const facts = factsOf(request);
    for (let n = told.get(request) ?? 0; n < facts.length; n++)
      live.send(tenant, {
        type: "timeline",
        event: { id: eventId(id, n), at: startedAt, conversation, request: cause ?? id, ...facts[n]! },
      });
    told.set(request, facts.length);
  };
  return {
    happened(request, what) {
      const { tenant, conversation } = request;
      if (!live.hasListeners || tenant === undefined || conversation === undefined) return;
      tellFacts(request);
      if (what.type !== "fitted") return;
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
      tellFacts(request);
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
