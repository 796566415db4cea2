import type { GatewayConfig } from "../../config/gateway-schema.ts";
import { forgetOldest } from "../../core/collections.ts";
import type { ModelError } from "../../core/errors.ts";
import type { Model, Report } from "../../core/types.ts";
import type { NewRequest, RequestStore, ServerStore } from "../../stores/server-store.ts";
import { modelInfo } from "../../tokens/index.ts";
import type { TimelineFact } from "../api.ts";
import { createCacheTimes, type Learned } from "../compaction/learned.ts";
import { currentBehalf } from "../compaction/on-behalf.ts";
import { redactSecrets } from "../compaction/redact-secrets.ts";
import { eventId } from "../conversation/timeline.ts";
import type { Log } from "../telemetry/log.ts";
import type { Tracing, TurnTrace } from "../telemetry/open-telemetry.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import {
  factOf,
  factsOf,
  type RequestListener,
  type RequestStart,
  RunningRequest,
} from "./running-request.ts";

/** Where requests begin: each makes one record, and whoever wants to know hears of it. Read `running-request.ts` first. */
export type Requests = ReturnType<typeof createRequests>;

export function createRequests(
  parts: Telemetry & {
    readonly store: Pick<ServerStore, "requests">;
    readonly config: Pick<GatewayConfig, "redact" | "store">;
    readonly learned: Learned;
  },
) {
  const kept = keepRequests(parts.store.requests, parts.log, !parts.config.store);
  const cacheTimes = createCacheTimes(parts.learned);
  const context = {
    cacheTimes,
    listeners: [...requestListeners(parts), kept],
    now: parts.now,
    written: (text: string) => (parts.config.redact ? redactSecrets(text) : text),
  };
  const begin = (start: RequestStart): RunningRequest => new RunningRequest(start, context);
  return {
    begin,
    /** Something that happened to a conversation outside of any request. `checkpoint`: what requests stand on from then on. */
    note(
      client: NonNullable<RequestStart["client"]>,
      conversation: string,
      fact: TimelineFact,
      checkpoint?: string,
    ): void {
      const noted = begin({ kind: "compaction", api: "page", path: fact.type, headers: {}, client });
      const asked = { model: "", transcript: [] };
      const recording = { known: { id: conversation }, hadRequest: false };
      noted.asks({ upstream: undefined, asked, recording }, {});
      noted.checkpoint = checkpoint;
      noted.happened({ type: "noted", fact });
      noted.end(200);
    },
    /** How long the provider of a model was seen to keep a prompt; undefined while too little is known. */
    cacheMs: cacheTimes.of,
    /** Writes rows that wait. */
    flush: kept.flush,
  };
}

/** What no append took along is written together, after so long at the latest: a server that is killed loses no more (milliseconds). */
const WRITE_AFTER_MS = 100;
/** The same while the store takes nothing. */
const RETRY_AFTER_MS = 2_000;
/** As soon as so many rows wait, they are written. */
const BATCH = 200;
/** Rows that wait for a store that takes none; the oldest are given up. */
const MAX_WAITING = 10_000;
/** Many are given up at a time: the oldest entry of a large map is slow to find behind those that were deleted. */
const GIVE_UP_AT_ONCE = 1_000;
const MINUTE_MS = 60_000;
/** Refusals of requests that came without a known client belong to nobody. */
export const NOBODY = "";

/** A row, and what says its conversation, which may be stored later. The request itself isn't held: it has all of its messages. */
interface Waiting {
  readonly tenant: string;
  readonly row: NewRequest;
  readonly known: { readonly id: string | undefined } | undefined;
}

/**
 * The store hears of requests: most rows came with the messages of their request, these are the others.
 * `isForLook`: nothing outlives the process anyway, so requests of clients are written when somebody asks for them. To write each
 * into a database in memory took a quarter of a request's processor time, and all of them would fill the memory.
 */
function keepRequests(store: RequestStore, log: Log, isForLook: boolean) {
  const waiting = new Map<string, Waiting>();
  const refused = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();
  let hasFailed = false;

  const write = async (): Promise<void> => {
    try {
      while (waiting.size > 0) {
        const batch = [...waiting.values()].slice(0, BATCH);
        for (const [tenant, some] of Map.groupBy(batch, (one) => one.tenant)) {
          await store.add(
            tenant,
            some.map(({ row, known }) => storable(row, known?.id)),
          );
          for (const { row } of some) waiting.delete(row.id);
        }
      }
      for (const [key, count] of refused) {
        const [tenant, at, reason] = JSON.parse(key) as [string, number, string];
        await store.refuse(tenant, [{ at, reason, count }]);
        refused.set(key, refused.get(key)! - count);
        if (refused.get(key) === 0) refused.delete(key);
      }
      hasFailed = false;
    } catch (error) {
      hasFailed = true;
      // It is for looking at; requests don't stop because it can't be written now.
      log.warn({ err: error }, "requests could not be written down");
    }
  };
  /** One after the other: a store that takes nothing is asked once, however many requests come. */
  const flush = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    writing = writing.then(write);
    return writing;
  };
  const later = (): void => {
    timer ??= setTimeout(() => void flush(), hasFailed ? RETRY_AFTER_MS : WRITE_AFTER_MS).unref();
  };
  const refuse = ({ tenant = NOBODY, refusal, now }: RunningRequest): void => {
    const key = JSON.stringify([tenant, Math.floor(now / MINUTE_MS) * MINUTE_MS, refusal]);
    refused.set(key, (refused.get(key) ?? 0) + 1);
    later();
  };
  return {
    flush,
    ended(request: RunningRequest): void {
      if (request.refusal !== undefined) {
        refuse(request);
        return;
      }
      const { tenant, hasRecord, isStored, turn } = request;
      if (tenant === undefined || !hasRecord || isStored) return;
      const row = request.row();
      waiting.set(row.id, { tenant, row, known: turn?.recording?.known });
      if (waiting.size > MAX_WAITING) forgetOldest(waiting, MAX_WAITING - GIVE_UP_AT_ONCE);
      if (isForLook && row.kind === "client") return;
      // Not once more for those behind them: a store that takes nothing is left to the timer.
      if (waiting.size === BATCH) void flush();
      // A person waits for what came of it, maybe at another server.
      if (row.kind === "compaction") void flush();
      later();
    },
  };
}

/** A row with its conversation, which may have been stored meanwhile. Words about a chat that can't be deleted with it aren't kept. */
function storable(row: NewRequest, conversation = row.conversation): NewRequest {
  const isNobodys = row.kind === "summary" && conversation === undefined && row.error !== undefined;
  return { ...row, conversation, ...(isNobodys && { error: "The summary failed." }) };
}

/** A model that writes summaries: each of its calls is a request of its own, with what it was made for. */
export function recordedModel(
  model: Model,
  {
    requests,
    tenant,
    upstream,
  }: {
    readonly requests: Pick<Requests, "begin">;
    readonly tenant: string;
    readonly upstream: { readonly name: string };
  },
): Model {
  return {
    ...model,
    async complete(request) {
      const behalf = currentBehalf();
      const call = requests.begin({
        kind: "summary",
        api: "summary",
        path: request.name,
        headers: {},
        client: { tenant, name: behalf?.client },
      });
      call.action = "pass";
      call.asks(
        {
          upstream,
          asked: { model: model.id, transcript: [] },
          recording: {
            // A first request's conversation is stored while its summary is being written.
            known: {
              get id() {
                return behalf?.conversation?.();
              },
            },
            hadRequest: false,
          },
        },
        { prices: modelInfo(model.id).prices },
      );
      const { reason, request: cause } = behalf?.cause?.() ?? {};
      call.reason = reason;
      call.cause = cause;
      try {
        const reply = await model.complete(request);
        call.usage = reply.usage;
        call.reply = reply.text;
        call.end(200);
        return reply;
      } catch (error) {
        const { status = 502, message } = error as Partial<ModelError>;
        call.fails(status, message ?? String(error));
        call.end(status);
        throw error;
      }
    },
  };
}

/** Everybody who hears of requests, but for the store. Each does its own work, and all but people who look on at the end alone. */
function requestListeners(
  parts: Pick<Telemetry, "metrics" | "log" | "live" | "tracing" | "now">,
): readonly RequestListener[] {
  return [
    metered(parts),
    logged(parts),
    shown(parts),
    ...(parts.tracing ? [traced(parts.tracing, parts.now)] : []),
  ];
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
  const logHappening = (
    { turn, conversation }: RunningRequest,
    what: RunningRequest["happenings"][number],
  ): void => {
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
      for (const what of request.happenings) logHappening(request, what);
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
  const sent = new WeakMap<RunningRequest, number>();
  const sendFacts = (request: RunningRequest): void => {
    const { tenant, conversation, id, cause, startedAt, happenings } = request;
    if (tenant === undefined || conversation === undefined || happenings.length === 0) return;
    const facts = factsOf(request);
    for (let n = sent.get(request) ?? 0; n < facts.length; n++)
      live.send(tenant, {
        type: "timeline",
        event: { id: eventId(id, n), at: startedAt, conversation, request: cause ?? id, ...facts[n]! },
      });
    sent.set(request, facts.length);
  };
  return {
    happened(request, what) {
      const { tenant, conversation } = request;
      if (!live.hasListeners || tenant === undefined || conversation === undefined) return;
      sendFacts(request);
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
      sendFacts(request);
      live.send(tenant, { type: "request", ...factOf(request.row(), conversation) });
    },
  };
}

/** OpenTelemetry. */
function traced(tracing: Tracing, now: () => number): RequestListener {
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
