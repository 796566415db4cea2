import { StoreError } from "../../core/errors.ts";
import type { ServerStore } from "../server-store.ts";
import { memoryCitations, memoryClientKeys, memoryEvents, memoryLeases } from "./beside.ts";
import { memoryConversations } from "./conversations.ts";
import { memoryRecall } from "./recall.ts";
import { memoryRecords } from "./records.ts";
import { createMemoryContext } from "./tenant-data.ts";
import { memoryUpkeep } from "./upkeep.ts";

/** What `memoryServerStore` takes. */
export interface MemoryServerStoreOptions {
  /** The tenant whose records the store's own `find` and `save` mean. Default `default`. */
  readonly tenant?: string;
  /** The clock, in milliseconds. Default `Date.now`. */
  readonly now?: () => number;
  /** Makes ids. Default `crypto.randomUUID`. */
  readonly newId?: () => string;
  /** Conversations per tenant before the one that is quiet for longest is forgotten. Default 1,000. */
  readonly maxConversations?: number;
  /** Records of each kind per tenant before the oldest are forgotten. Default 10,000. */
  readonly maxRecords?: number;
  /** Events per tenant before the oldest are forgotten; also forgotten if they hold more than 32 million characters. Default 10,000. */
  readonly maxEvents?: number;
}

const DEFAULTS = { conversations: 1_000, records: 10_000, events: 10_000 } as const;
/** Characters of all events of a tenant; about twice as many bytes. */
const EVENT_CHARACTERS = 32_000_000;

/**
 * A bounded server store in memory, for servers that shall keep nothing. Nothing of Node is needed.
 *
 * @example
 * ```ts
 * import { memoryServerStore } from "@precis/gateway/stores";
 *
 * const store = memoryServerStore({ maxConversations: 100 });
 * const at = Date.now();
 * const wire = JSON.stringify({ role: "user", content: "hello" });
 * await store.conversations.append("team-a", { messages: [{ hash: "h1", role: "user", wire, at }], at });
 * ```
 */
export function memoryServerStore(options: MemoryServerStoreOptions = {}): ServerStore {
  let isClosed = false;
  const assertOpen = (operation: string) => {
    if (!isClosed) return;
    throw new StoreError({ operation, message: "the store is closed.", fix: "Close it after its last use." });
  };
  const context = createMemoryContext(
    { now: options.now ?? Date.now, newId: options.newId ?? (() => crypto.randomUUID()) },
    {
      conversations: options.maxConversations ?? DEFAULTS.conversations,
      records: options.maxRecords ?? DEFAULTS.records,
      events: options.maxEvents ?? DEFAULTS.events,
      eventCharacters: EVENT_CHARACTERS,
    },
    assertOpen,
  );
  return {
    kind: "memory",
    ...memoryRecords(context, options.tenant ?? "default"),
    ready: async () => assertOpen("open"),
    records: (tenant) => memoryRecords(context, tenant),
    async forgetSummaries(tenant, hashes) {
      const { summaries } = context.of("forgetSummaries", tenant);
      const gone = new Set(hashes);
      for (const [key, { record }] of summaries) if (gone.has(record.hash)) summaries.delete(key);
    },
    recallIndex: (tenant, { conversation } = {}) => memoryRecall(context, tenant, conversation),
    conversations: memoryConversations(context),
    events: memoryEvents(context),
    citations: memoryCitations(context),
    leases: memoryLeases(context),
    clientKeys: memoryClientKeys(context),
    upkeep: memoryUpkeep(context),
    async close() {
      isClosed = true;
      context.tenants.clear();
    },
  };
}
