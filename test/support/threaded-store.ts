import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import type { ServerStore } from "../../src/stores/server-store.ts";
import { createSqlStore } from "../../src/stores/sql/create-sql-store.ts";
import { sqliteEngine } from "../../src/stores/sqlite.ts";
import { HANGS_AFTER_MS } from "./time-limits.ts";

/** An SQLite store whose appends are written by the thread from the first one on: until it has started, they aren't. */
export async function threadedStore(path: string): Promise<ServerStore> {
  const engine = sqliteEngine(path);
  const store = createSqlStore(engine, {});
  await store.ready();
  const append = () =>
    engine.append?.({ tenant: "warm-up", id: randomUUID(), input: { messages: [], at: 0 } });
  await expect.poll(append, { timeout: HANGS_AFTER_MS }).toBeDefined();
  return store;
}
