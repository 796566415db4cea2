import type { GatewayConfig } from "../../config/gateway-schema.ts";
import { forgetOldest } from "../../core/collections.ts";
import type { ModelError } from "../../core/errors.ts";
import type { Model } from "../../core/types.ts";
import type { NewRequest, RequestStore, ServerStore } from "../../stores/server-store.ts";
import { modelInfo } from "../../tokens/index.ts";
import type { TimelineFact } from "../api.ts";
import { createCacheTimes } from "../compaction/cache-times.ts";
import type { Learned } from "../compaction/learned.ts";
import { currentBehalf } from "../compaction/on-behalf.ts";
import { redactSecrets } from "../compaction/redact-secrets.ts";
import type { Log } from "../telemetry/log.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import { requestListeners } from "./listeners.ts";
import { type RequestListener, type RequestStart, RunningRequest } from "./running-request.ts";

/** Where requests begin: each makes one record, and whoever wants to know hears of it. Read `running-request.ts` first. */
export interface Requests {
  begin(start: RequestStart): RunningRequest;
  /** Something that happened to a conversation outside of any request. `checkpoint`: what requests stand on from then on. */
  note(
    client: NonNullable<RequestStart["client"]>,
    conversation: string,
    fact: TimelineFact,
    checkpoint?: string,
  ): void;
  /** How long the provider of a model was seen to keep a prompt; undefined while too little is known. */
  cacheMs(upstream: string, model: string): number | undefined;
  /** Writes rows that wait. */
  flush(): Promise<void>;
}

export function createRequests(
  parts: Telemetry & {
    readonly store: Pick<ServerStore, "requests">;
    readonly config: Pick<GatewayConfig, "redact" | "store">;
    readonly learned: Learned;
  },
): Requests {
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
    note(client, conversation, fact, checkpoint) {
      const noted = begin({ kind: "compaction", api: "page", path: fact.type, headers: {}, client });
      const asked = { model: "", transcript: [] };
      const recording = { known: { id: conversation }, hadRequest: false };
      noted.asks({ upstream: undefined, asked, recording }, {});
      noted.checkpoint = checkpoint;
      noted.happened({ type: "noted", fact });
      noted.end(200);
    },
    cacheMs: cacheTimes.of,
    flush: kept.flush,
  };
}

/** What no append took along is written together, after so long at the latest (milliseconds). */
const WRITE_EVERY_MS = 2_000;
/** As soon as so many rows wait, they are written. */
const BATCH = 200;
/** Rows that wait for a store that takes none; the oldest are given up. */
const MAX_WAITING = 10_000;
/** Many are given up at a time: the oldest entry of a large map is slow to find behind those that were deleted. */
const GIVE_UP_AT_ONCE = 1_000;
const MINUTE_MS = 60_000;
/** Refusals of requests that came without a known client belong to nobody. */
export const NOBODY = "";

/** The store hears of requests: most rows came with the messages of their request, these are the others. */
interface KeptRequests extends RequestListener {
  /** Writes what waits. */
  flush(): Promise<void>;
}

/** A row, and what says its conversation, which may be stored later. The request itself isn't held: it has all of its messages. */
interface Waiting {
  readonly tenant: string;
  readonly row: NewRequest;
  readonly known: { readonly id: string | undefined } | undefined;
}

/**
 * `isForLook`: nothing outlives the process anyway, so requests of clients are written when somebody asks for them. To write each
 * into a database in memory took a quarter of a request's processor time, and all of them would fill the memory.
 */
function keepRequests(store: RequestStore, log: Log, isForLook: boolean): KeptRequests {
  const waiting = new Map<string, Waiting>();
  const refused = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();

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
    } catch (error) {
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
    timer ??= setTimeout(() => void flush(), WRITE_EVERY_MS).unref();
  };
  const refuse = ({ tenant = NOBODY, refusal, now }: RunningRequest): void => {
    const key = JSON.stringify([tenant, Math.floor(now / MINUTE_MS) * MINUTE_MS, refusal]);
    refused.set(key, (refused.get(key) ?? 0) + 1);
    later();
  };
  return {
    flush,
    ended(request) {
      if (request.refusal !== undefined) return refuse(request);
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
export function toldModel(
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
      const told = requests.begin({
        kind: "summary",
        api: "summary",
        path: request.name,
        headers: {},
        client: { tenant, name: behalf?.client },
      });
      told.action = "pass";
      told.asks(
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
      told.reason = reason;
      told.cause = cause;
      try {
        const reply = await model.complete(request);
        told.usage = reply.usage;
        told.reply = reply.text;
        told.end(200);
        return reply;
      } catch (error) {
        const { status = 502, message } = error as Partial<ModelError>;
        told.fails(status, message ?? String(error));
        told.end(status);
        throw error;
      }
    },
  };
}
