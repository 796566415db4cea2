import { randomUUID } from "node:crypto";
import type { RequestListener, Server } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { GatewayConfig } from "../config/gateway-schema.ts";
import { isLoopback } from "../config/loopback.ts";
import { ConfigError, ModelError } from "../core/errors.ts";
import type { Compactor } from "../core/types.ts";
import { openStore, type ServerStore } from "../stores/server.ts";
import { boundedStore } from "./bounded-store.ts";
import type { CompactionParts } from "./compaction/compaction-parts.ts";
import { createCompactors, createObserving } from "./compaction/compactors.ts";
import { createLearned } from "./compaction/learned.ts";
import { currentBehalf, singleFlight } from "./compaction/on-behalf.ts";
import { watchRecords } from "./compaction/records.ts";
import { summarizerByName, summarizerFor, summarizerNotes } from "./compaction/summarizer.ts";
import { createAskWindow, createWarnGuess, createWindows } from "./compaction/windows.ts";
import { createAnnouncer } from "./conversation/announcer.ts";
import { createDeletions } from "./conversation/chat-settings.ts";
import type { ConversationParts } from "./conversation/conversation-parts.ts";
import { createFates } from "./conversation/fates.ts";
import { createTranscripts } from "./conversation/loaded.ts";
import { createMemory } from "./conversation/memory.ts";
import { createRecorder } from "./conversation/recording.ts";
import { createSpill } from "./conversation/spill.ts";
import { createReplayedStates } from "./conversation/view-of.ts";
import { createHandler, type Gateway } from "./handle.ts";
import { createAuthenticate, createRateLimit, createStreamLimit } from "./http/admit.ts";
import { openHttp, waitAtMost } from "./open-http.ts";
import { startPreparing, startSweep } from "./ops/upkeep.ts";
import { createApi } from "./page/create-api.ts";
import { createRequests, recordedModel } from "./requests/requests.ts";
import { type BusyWord, createBusy } from "./telemetry/busy.ts";
import { createLive, type SentEvent } from "./telemetry/live.ts";
import { createLog, type Log } from "./telemetry/log.ts";
import { createMetrics } from "./telemetry/metrics.ts";
import { createTracing, hasSdk, type Tracing } from "./telemetry/open-telemetry.ts";
import type { Telemetry } from "./telemetry/telemetry.ts";
import { openOwnUpstreams, ownUpstreamsFile } from "./upstream/own-upstreams.ts";
import { createUpstream } from "./upstream/upstream.ts";

/** A gateway that is ready to listen. */
export interface RunningGateway {
  readonly server: Server;
  /** What the server answers requests with. */
  readonly handler: RequestListener;
  readonly gateway: Gateway;
  /** Resolves with its address once it listens. */
  listen(): Promise<string>;
  /** Says that it isn't ready and goes on serving, for the time that the config gives balancers; `hurry` ends that. */
  leave(hurry?: AbortSignal): Promise<void>;
  /** Stops listening, lets requests under way end, then lets go of everything. */
  close(): Promise<void>;
}

export interface GatewayParts {
  readonly version?: string;
  readonly store?: ServerStore;
  readonly log?: Log;
  readonly now?: () => number;
  /** Tells other processes of this server about an event. */
  readonly share?: (event: SentEvent) => void;
  /** Tells them what is under way in this one. */
  readonly shareBusy?: (word: BusyWord) => void;
  /** Asks all of them for what they counted. */
  readonly gather?: Gateway["gather"];
  /** How long the end waits for a store that doesn't answer (milliseconds). Default 10 seconds. */
  readonly storePatienceMs?: number;
  /** Resolves when requests have ended that came over a server of the host's. */
  readonly settled?: () => Promise<unknown>;
  /** Streams of events that one client may have open at once. */
  readonly mostStreams?: number;
  /** Memory for answers that wait for a store which doesn't take them; what doesn't fit is lost and counted. */
  readonly spillBytes?: number;
}

/** Wires all parts together. This is the only place where they are made. */
export async function createGateway(
  config: GatewayConfig,
  parts: GatewayParts = {},
): Promise<RunningGateway> {
  const now = parts.now ?? Date.now;
  const { log, health: logHealth } = parts.log
    ? { log: parts.log, health: undefined }
    : createLog(config.log);
  const store = parts.store ?? openStore(config.store ? config.db : "memory");
  await store.ready();
  const mode = config.auth.mode ?? defaultMode(config);
  if (mode === "keys") await needKeys(config, store);

  const upstreams = config.upstreams.map(createUpstream);
  const canAddModels = mode === "open" && config.workers <= 1;
  const ownUpstreams = await openOwnUpstreams(canAddModels ? ownUpstreamsFile(config) : undefined, upstreams);
  let isLeaving = false;
  const drain = new AbortController();
  const base = { config, version: parts.version ?? "0.0.0", node: randomUUID(), store, upstreams, log, now };
  const telemetry = { ...base, ...telemetryOf(base, parts) };
  const learned = createLearned(config.store ? { store: store.learned, log, now } : undefined);
  await waitAtMost(learned.share(), STORE_PATIENCE_MS);
  const observed = { ...telemetry, learned, requests: createRequests({ ...telemetry, learned }) };
  const bounded = boundedStore(store);
  const compaction = { ...observed, ...compactionOf({ ...observed, store: bounded }) };
  const gateway: Gateway = {
    ...compaction,
    ...conversationsOf(compaction, bounded, parts.spillBytes),
    ownUpstreams,
    canAddModels,
    authenticate: createAuthenticate({ mode, keys: config.auth.keys, store: bounded.clientKeys, now }),
    limitRate: createRateLimit(now),
    limitStreams: createStreamLimit(parts.mostStreams),
    streams: new Map(),
    // With `redact` they can't be written down as they were.
    streamLog: config.store && !config.redact && store.kind !== "memory" ? bounded.streams : undefined,
    gather: parts.gather,
    logHealth,
    isLeaving: () => isLeaving || drain.signal.aborted,
    isDraining: () => drain.signal.aborted,
    draining: drain.signal,
  };
  const api = createApi(gateway);
  const handler = createHandler({ ...gateway, store: bounded }, api.listener);
  const http = openHttp(config, handler, log);
  const sweep = startSweep(gateway);
  const sharing = setInterval(() => void learned.share(), SHARE_EVERY_MS).unref();
  const preparing = config.idleSummaries ? startPreparing(gateway) : undefined;

  return {
    server: http.server,
    handler,
    gateway,
    listen: http.listen,
    // Balancers send requests until they have heard that a node isn't ready: one that closed its port at once would refuse them.
    async leave(hurry) {
      isLeaving = true;
      // It ends by itself or is ended: either way it is over.
      if (config.graceMs > 0)
        await sleep(config.graceMs, undefined, hurry && { signal: hurry }).catch(() => {});
    },
    async close() {
      drain.abort();
      sweep.stop();
      clearInterval(sharing);
      preparing?.stop();
      // An answer whose page has gone away is still written to its end.
      await http.close(() => Promise.all([api.settled(), parts.settled?.()]));
      api.stop();
      const patience = parts.storePatienceMs ?? STORE_PATIENCE_MS;
      if (!(await waitAtMost(finishWriting(gateway).then(learned.share), patience))) {
        log.error({ ms: patience }, "the store doesn't answer: what waits for it isn't written any more");
        gateway.spill?.giveUp();
      }
      await Promise.all(upstreams.map(({ pool }) => pool.destroy()));
      await waitAtMost(store.close(), patience);
    },
  };
}

/** How long a server that ends waits for a store that doesn't answer (milliseconds). */
const STORE_PATIENCE_MS = 10_000;

/** How often a server writes what it learned of models, and reads what others did (milliseconds). Windows are written at once. */
const SHARE_EVERY_MS = 5_000;

/** Everything that is still to be written. */
async function finishWriting(gateway: Gateway): Promise<void> {
  await gateway.requests.flush();
  await gateway.spill?.end();
  await gateway.deletions.finish();
  await gateway.compactors.close();
  await gateway.observing?.close();
}

function telemetryOf(
  { config, version, log, now }: Pick<Gateway, "config" | "version" | "log" | "now">,
  { share, shareBusy }: GatewayParts,
): Telemetry {
  const live = createLive(share);
  return {
    log,
    now,
    live,
    metrics: createMetrics(),
    tracing: config.openTelemetry ? startTracing(version, now, log) : undefined,
    busy: createBusy(shareBusy),
  };
}

function compactionOf(
  base: Telemetry & Pick<Gateway, "config" | "store" | "upstreams" | "node" | "requests" | "learned">,
): Pick<Gateway, "windows" | "askWindow" | "records" | "compactors" | "observing"> {
  const { config, store, upstreams, node, tracing, now } = base;
  const windows = createWindows(config, now, base.learned);
  const records = watchRecords(store);
  const warnGuess = createWarnGuess(base);
  for (const problem of summarizerNotes(config).problems) base.log.warn(problem);
  const compactors = createCompactors({
    config,
    windows,
    warnGuess,
    records: (tenant, mark) => records.of(tenant, mark),
    summarizer({ upstream, wire, model, tenant, summarizer }, window) {
      if (!upstream) return undefined;
      const chosen =
        summarizerByName(upstreams, summarizer) ?? upstream.config.summarizer ?? config.summarizer;
      const made = summarizerFor({ config: chosen, upstreams, upstream, wire, model, window });
      const paid =
        made && recordedModel(tracing?.model(made) ?? made, { requests: base.requests, tenant, upstream });
      return paid && singleFlight(paid, { leases: store.leases, tenant, node });
    },
    listen: (compactor, { model }) => listen(base, compactor, model),
  });
  const observing = config.observe ? createObserving({ config, windows, warnGuess }) : undefined;
  return { windows, askWindow: createAskWindow({ windows, now }), records, compactors, observing };
}

/** Tells whom a compactor works for, and the log, what happens to its summaries. */
function listen({ log }: Pick<Telemetry, "log">, compactor: Compactor<unknown>, model: string): void {
  compactor.on("started", ({ reason }) => currentBehalf()?.onStarted?.(reason));
  compactor.on("failed", ({ error, fallback }) => {
    const { message } = error;
    const behalf = currentBehalf();
    // A person gave up waiting for it.
    if (behalf?.signal?.aborted) return;
    behalf?.onFailed?.(message);
    // Its message may quote what the provider said, and that may quote the conversation.
    const reason = error instanceof ModelError ? error.failure : error.name;
    const status = error instanceof ModelError ? error.status : undefined;
    log.warn({ model, fallback, reason, status }, "a summary failed");
    behalf?.noted?.({ type: "failed", message, fallback });
  });
}

function conversationsOf(
  parts: CompactionParts,
  bounded: Pick<ServerStore, "conversations">,
  spillBytes: number | undefined,
): Omit<ConversationParts, keyof CompactionParts | "isDraining"> {
  const { config, store, log, metrics, live, busy } = parts;
  const { conversations } = store;
  const memory = createMemory();
  const announcer = createAnnouncer(live, conversations, busy, log);
  const recorder = config.store
    ? createRecorder({
        expect: store.expect,
        store: bounded.conversations,
        memory,
        redact: config.redact,
        isWatched: () => live.hasListeners,
        onAppended: (tenant, { conversation }) => announcer.soon(tenant, conversation),
      })
    : undefined;
  return {
    memory,
    announcer,
    recorder,
    spill:
      recorder &&
      createSpill({
        recorder,
        store: conversations,
        maxBytes: spillBytes,
        onChange: (waiting) => metrics.spilled.set(waiting),
        onLost(count, why) {
          metrics.lostAnswers.inc(count);
          if (why !== undefined)
            log.error({ err: why }, "an answer is lost to the store, which will never take it; others go on");
          else log.error({ count }, "answers are lost to the store: it failed for too long");
        },
      }),
    transcripts: createTranscripts(conversations),
    fates: createFates(parts),
    replayedStates: createReplayedStates(),
    deletions: createDeletions(conversations, log),
  };
}

/** Who lists keys wants them asked for, on loopback too: a proxy on the same machine may open it to others. */
function defaultMode({ auth, host }: GatewayConfig): "open" | "keys" {
  return isLoopback(host) && auth.keys.length === 0 ? "open" : "keys";
}

async function needKeys(config: GatewayConfig, store: ServerStore): Promise<void> {
  if (config.auth.keys.length > 0) return;
  const { counts } = await store.upkeep.stats();
  if (counts.clientKeys > 0) return;
  throw new ConfigError({
    option: "auth.keys",
    message: `client keys are needed (${isLoopback(config.host) ? "auth.mode is keys" : `other machines can reach ${config.host}`}), and there are none.`,
    fix: `${store.kind === "memory" ? "List" : "Make one with `precis serve --new-key NAME`, list"} some under auth.keys, or set PRECIS_CLIENT_KEYS=name:key.`,
  });
}

function startTracing(version: string, now: () => number, log: Log): Tracing {
  if (!hasSdk())
    log.warn(
      "openTelemetry is set, but no OpenTelemetry SDK was started, so spans and metrics go nowhere: start the server with node --import and the SDK's file, or leave openTelemetry out",
    );
  return createTracing(version, now, (err) =>
    log.warn({ err }, "OpenTelemetry failed (no request is affected): check the SDK and its exporter"),
  );
}
