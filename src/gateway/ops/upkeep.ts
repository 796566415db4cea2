import type { Reason } from "../../core/types.ts";
import type { TimelineFact } from "../api.ts";
import { onBehalfOf } from "../compaction/on-behalf.ts";
import { followSummary, tellBegun } from "../conversation/announcer.ts";
import { type Loaded, load } from "../conversation/loaded.ts";
import { fitInput } from "../conversation/view-of.ts";
import type { OpsParts } from "./ops-parts.ts";

/** How often what has had its time is removed (milliseconds). */
const SWEEP_EVERY_MS = 10 * 60_000;
/** Soon after the start, by every node: what was deleted just before a crash must not stay (milliseconds). */
const FIRST_SWEEP_MS = 35_000;
const DAY_MS = 24 * 60 * 60_000;

/** Removes what has had its time: conversations, events, records, leases. One node at a time does it. */
export function startSweep(parts: Pick<OpsParts, "store" | "config" | "node" | "log">): { stop(): void } {
  const { store, config, node, log } = parts;
  const sweep = async (isFirst: boolean): Promise<void> => {
    try {
      if (!isFirst && !(await store.leases.acquire("default", "sweep", node, SWEEP_EVERY_MS))) return;
      const { conversationDays, eventDays, recordDays } = config.retention;
      const swept = await store.upkeep.sweep({
        ...(conversationDays !== undefined && { conversationsMs: conversationDays * DAY_MS }),
        eventsMs: eventDays * DAY_MS,
        requestsMs: eventDays * DAY_MS,
        recordsMs: recordDays * DAY_MS,
      });
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
/** A chat is idle from here on; providers forget its prompt soon after (milliseconds). */
const IDLE_FROM_MS = 3 * 60_000;
/** Where it is known how long they keep it, from this share of that time on. */
const IDLE_FROM = 0.6;
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
        if (idle < IDLE_FROM_MS || idle > IDLE_TO_MS || prepared.get(id) === updatedAt) continue;
        const loaded = await load(parts, tenant, id);
        const { upstream, model } = loaded.choice;
        const cacheMs = upstream && parts.requests.cacheMs(upstream.name, model);
        // Somebody may come back as long as the prompt is kept.
        if (cacheMs !== undefined && idle < cacheMs * IDLE_FROM) continue;
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
    cause: () => ({ reason: why, request: "idle" }),
    conversation: () => conversation,
    noted: (fact: TimelineFact) => parts.requests.note({ tenant }, conversation, fact),
    signal: controller.signal,
    onStarted(reason: Reason) {
      why = reason;
      tellBegun(parts, tenant, conversation, reason);
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
    await onBehalfOf(behalf, () =>
      parts.compactors.of(loaded.choice).prepare(loaded.transcript, fitInput(loaded)),
    );
  } finally {
    done.resolve();
  }
}

/** Chats that are remembered as done. */
const MAX_REMEMBERED = 10_000;
