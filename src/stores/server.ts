/**
 * Stores for servers: everything in one SQLite file, in a PostgreSQL database, or in memory. They need Node; the
 * bounded store of records that runs everywhere is `memoryStore` of `precis` itself.
 *
 * @module
 */

export { openStore } from "./open-store.ts";
export { type PostgresStoreOptions, postgresStore } from "./postgres.ts";
export type * from "./server-store.ts";
export type { ServerStoreOptions } from "./sql/create-sql-store.ts";
export {
  type MemoryServerStoreOptions,
  memoryServerStore,
  type SqliteStoreOptions,
  sqliteStore,
} from "./sqlite.ts";
