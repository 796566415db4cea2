import { isJson } from "../../apis/shared/fields.ts";
import { sweepTimes } from "../../config/gateway-schema.ts";
import type { FitInput, Reason } from "../../core/types.ts";
import { CACHE_MS } from "../../tokens/billing.ts";
import type { TimelineFact } from "../api.ts";
import { cacheMsOf } from "../compaction/compactors.ts";
import { onBehalfOf } from "../compaction/on-behalf.ts";
import { IDLE_FROM } from "../conversation/advice.ts";
import { announceBegun, followSummary } from "../conversation/announcer.ts";
import type { ConversationParts } from "../conversation/conversation-parts.ts";
import { type Loaded, load } from "../conversation/loaded.ts";
import { IDLE } from "../conversation/timeline.ts";
import { fitInput } from "../conversation/view-of.ts";
import { sentAgain } from "../page/sent-again.ts";
import type { Requests } from "../requests/requests.ts";
import type { LogHealth } from "../telemetry/log.ts";
import { loadedTools } from "../wires/index.ts";

/** How often what has had its time is removed (milliseconds). */
const SWEEP_EVERY_MS = 10 * 60_000;
/** Soon after the start, by every node: what was deleted just before a crash must not stay (milliseconds). */
const FIRST_SWEEP_MS = 35_000;

/** Removes what has had its time: conversations, requests, records, leases. One node at a time does it. */
export function startSweep(parts: Pick<OpsParts, "store" | "config" | "node" | "log">): { stop(): void } {
  const { store, config, node, log } = parts;
  const sweep = async (isFirst: boolean): Promise<void> => {
    try {
      if (!isFirst && !(await store.leases.acquire("default", "sweep", node, SWEEP_EVERY_MS))) return;
      const swept = await store.upkeep.sweep(sweepTimes(config));
      log.debug({ ...swept }, "swept");
    } catch (error) {
      log.warn({ err: error }, "the sweep failed");
    }
  };
  const first = setTimeout(() => void sweep(true), FIRST_SWEEP_MS).unref();
  const timer = setInterval(() => void sweep(false), SWEEP_EVERY_MS).unref();
  return {
    stop() {
      clearTimeout(first);
      clearInterval(timer);
    },
  };
}

/** How often idle chats are looked for (milliseconds). */
const LOOK_EVERY_MS = 60_000;
/** Chats that were left longer ago are cold at any provider (milliseconds). */
const IDLE_TO_MS = 3 * 60 * 60_000;
/** Chats that one look takes at most. */
const MAX_CHATS = 50;

/** Summarises idle stored chats ahead of their next turn, one node at a time; only with a key of the server's own. */
export function startPreparing(parts: OpsParts): { stop(): void; look(): Promise<number> } {
  const { store, node, log } = parts;
  const prepared = new Map<string, number>();

  const look = async (): Promise<number> => {
    let count = 0;
    if (!(await store.leases.acquire("default", "prepare", node, LOOK_EVERY_MS))) return count;
    for (const tenant of await store.upkeep.activeTenants(parts.now() - IDLE_TO_MS)) {
      const { conversations } = await store.conversations.list(tenant, { limit: MAX_CHATS });
      for (const { id, updatedAt } of conversations) {
        const idle = parts.now() - updatedAt;
        if (idle > IDLE_TO_MS || prepared.get(id) === updatedAt) continue;
        const loaded = await load(parts, tenant, id);
        const { upstream } = loaded.choice;
        const keptMs = keptMsOf(parts, loaded) ?? CACHE_MS;
        // Read from no cache, a summary costs as much later, when it is needed.
        if (idle < keptMs * IDLE_FROM || idle > keptMs) continue;
        prepared.set(id, updatedAt);
        if (upstream?.config.apiKey === undefined) continue;
        await prepare(parts, tenant, loaded);
        count++;
      }
    }
    if (prepared.size > MAX_REMEMBERED) prepared.clear();
    return count;
  };

  const timer = setInterval(() => {
    look().catch((error: unknown) => log.warn({ err: error }, "idle chats could not be prepared"));
  }, LOOK_EVERY_MS);
  timer.unref();
  return { stop: () => clearInterval(timer), look };
}

/** Pages see that a summary is written, and can stop it. */
async function prepare(parts: OpsParts, tenant: string, loaded: Loaded): Promise<void> {
  const conversation = loaded.conversation.id;
  const controller = new AbortController();
  const done = Promise.withResolvers<void>();
  let why: Reason | undefined;
  const behalf = {
    cause: () => ({ reason: why, request: IDLE }),
    conversation: () => conversation,
    noted: (fact: TimelineFact) => parts.requests.note({ tenant }, conversation, fact),
    signal: controller.signal,
    onStarted(reason: Reason) {
      why = reason;
      announceBegun(parts, tenant, conversation, reason);
      void followSummary(parts, {
        tenant,
        conversation,
        controller,
        ended: done.promise,
        isAwaited: false,
      });
    },
  };
  try {
    const input = await preparedInput(parts, tenant, loaded);
    await onBehalfOf(behalf, () => parts.compactors.of(loaded.choice).prepare(loaded.transcript, input));
  } finally {
    done.resolve();
  }
}

/** How long a conversation's provider keeps a prompt; undefined while nobody knows. */
const keptMsOf = (
  { config, requests }: Pick<OpsParts, "config" | "requests">,
  { choice, model }: Loaded,
): number | undefined =>
  cacheMsOf(choice, config) ?? (choice.upstream && requests.cacheMs(choice.upstream.name, model));

/**
 * With the last request as it was sent, which the provider still has: a summary that continues it is read from there for a tenth of the
 * price. A summary of a chat without one is asked for as of any text.
 */
async function preparedInput(parts: OpsParts, tenant: string, loaded: Loaded): Promise<FitInput<unknown>> {
  const { store, now } = parts;
  const input = fitInput(loaded);
  const { id } = loaded.conversation;
  await parts.requests.flush();
  const [newest] = await store.requests.list(tenant, {
    conversation: id,
    kinds: ["client", "page"],
    limit: 1,
  });
  const row = newest && (await store.requests.get(tenant, newest.id));
  const isThere = row && row.status < 400 && loaded.stored.some(({ hash }) => hash === row.message);
  const body = isThere ? (await sentAgain(parts, tenant, row)).body : undefined;
  if (!isThere || !isJson(body)) return input;
  const asked = loaded.wire.read(body, row.path);
  const keptMs = keptMsOf(parts, loaded);
  return {
    ...input,
    tools: loadedTools(asked),
    ...(asked.cap !== undefined && asked.cap >= 1 && { maxAnswer: asked.cap }),
    request: body,
    now: now(),
    lastRequestAt: row.at,
    ...(keptMs !== undefined && { cacheTtlMs: keptMs }),
  };
}

/** Chats that are remembered as done. */
const MAX_REMEMBERED = 10_000;

/** What a server is kept running and looked after with. */
export interface OpsParts extends ConversationParts {
  readonly requests: Pick<Requests, "note" | "cacheMs" | "flush">;
  readonly version: string;
  /** Names this process among all nodes. */
  readonly node: string;
  /** What all processes of this server counted, given what this one did; undefined where there is only this one. */
  readonly gather: ((own: object) => Promise<readonly object[]>) | undefined;
  /** Whether the log can be written; undefined for a log that isn't ours. */
  readonly logHealth: LogHealth | undefined;
  /** True from the moment of SIGTERM on: nobody should send anything more. What comes is served all the same. */
  isLeaving(): boolean;
}
