import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import type { ServerStore } from "../../src/stores/server-store.ts";
import { createSqlStore } from "../../src/stores/sql/create-sql-store.ts";
import { sqliteEngine } from "../../src/stores/sqlite.ts";
import { HANGS_AFTER_MS } from "./time-limits.ts";

/** An SQLite store whose thread runs: it writes appends that come at the same time, and some after them that come one by one. */
export async function threadedStore(path: string): Promise<ServerStore> {
  const engine = sqliteEngine(path);
  const store = createSqlStore(engine, {});
  await store.ready();
  const append = () =>
    engine.append?.({ tenant: "warm-up", id: randomUUID(), input: { messages: [], at: 0 } });
  const twoAtOnce = async () => (await Promise.all([append(), append()]))[1];
  await expect.poll(twoAtOnce, { timeout: HANGS_AFTER_MS }).toBeDefined();
  return store;
}
