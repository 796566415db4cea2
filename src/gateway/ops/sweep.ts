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
