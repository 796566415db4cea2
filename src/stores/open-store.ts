import { StoreError } from "../core/errors.ts";
import { DATABASE_FIX, databaseKind } from "./database-kind.ts";
import { postgresStore } from "./postgres.ts";
import type { ServerStore } from "./server-store.ts";
import { memoryServerStore, sqliteStore } from "./sqlite.ts";

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
  switch (databaseKind(where)) {
    case "memory":
      return memoryServerStore();
    case "postgres":
      return postgresStore({ url: where });
    case "sqlite":
      return sqliteStore({ path: where });
    default:
      // The text isn't repeated: an address may hold a password.
      throw new StoreError({
        operation: "open",
        message: `an address that begins with "${where.split(":", 1)[0]}:" isn't a database that precis knows.`,
        fix: DATABASE_FIX,
      });
  }
}
