import { memoryServerStore } from "./memory/server.ts";
import { postgresStore } from "./postgres.ts";
import type { ServerStore } from "./server-store.ts";
import { sqliteStore } from "./sqlite.ts";

/**
 * Opens the store that a text names: a file, a PostgreSQL, or memory.
 *
 * @example
 * ```ts
 * import { openStore } from "@precis/gateway/stores";
 *
 * const store = openStore("memory"); // or "precis.db", or "postgres://user:password@host/database"
 * await store.ready();
 * await store.close();
 * ```
 */
export function openStore(where: string): ServerStore {
  if (where === "memory" || where === ":memory:") return memoryServerStore();
  return /^postgres(?:ql)?:\/\//.test(where) ? postgresStore({ url: where }) : sqliteStore({ path: where });
}
