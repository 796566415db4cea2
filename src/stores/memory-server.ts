import type { ServerStore } from "./server-store.ts";
import { createSqlStore, type ServerStoreOptions } from "./sql/create-sql-store.ts";
import { sqliteEngine } from "./sqlite.ts";

/** What `memoryServerStore` takes. */
export interface MemoryServerStoreOptions extends ServerStoreOptions {
  /** Conversations per tenant before the one that is quiet for longest is forgotten. Default 1,000. */
  readonly maxConversations?: number;
  /** Records per tenant that stand on no stored message before the oldest are forgotten. Default 10,000. */
  readonly maxRecords?: number;
  /** Events per tenant before the oldest are forgotten. Default 10,000. */
  readonly maxEvents?: number;
}

const DEFAULTS = { maxConversations: 1_000, maxRecords: 10_000, maxEvents: 10_000 } as const;

/**
 * A bounded server store in memory, for servers that shall keep nothing: an SQLite database without a file.
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
  const { maxConversations, maxRecords, maxEvents, ...rest } = { ...DEFAULTS, ...options };
  const bounds = { conversations: maxConversations, records: maxRecords, events: maxEvents };
  return { ...createSqlStore(sqliteEngine(":memory:"), { ...rest, bounds }), kind: "memory" };
}
