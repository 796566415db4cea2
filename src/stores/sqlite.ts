import { statSync } from "node:fs";
import { join } from "node:path";
import { Kysely, sql } from "kysely";
import type { ServerStore } from "./server-store.ts";
import { createSqlStore, type ServerStoreOptions } from "./sql/create-sql-store.ts";
import { REMOVALS_KEY } from "./sql/delete-conversation.ts";
import type { Schema } from "./sql/schema.ts";
import type { SqlEngine } from "./sql/sql-engine.ts";
import { explainSqlite } from "./sqlite/explain.ts";
import { journalsIn } from "./sqlite/journal/apply-journals.ts";
import { createJournal } from "./sqlite/journal/create-journal.ts";
import { startThread } from "./sqlite/journal/start-thread.ts";
import { nodeSqlite } from "./sqlite/node-sqlite-dialect.ts";
import { openDatabase } from "./sqlite/sqlite-session.ts";

/** What `sqliteStore` takes. */
export interface SqliteStoreOptions extends ServerStoreOptions {
  /** The file, made if there is none; `:memory:` for none at all. */
  readonly path: string;
  /**
   * What an acknowledged write survives: `process` (default) the end of the process by whatever means; `power` also a
   * power failure, at the price of waiting for the disk. Either way the file is never damaged.
   */
  readonly durability?: "process" | "power";
}

const IN_MEMORY = ":memory:";
const READ_REMOVALS = { sql: "select value from precis_meta where key = ?", parameters: [REMOVALS_KEY] };
/** SQLite keeps what isn't yet in the main file beside it. */
const FILES = ["", "-wal", "-shm"] as const;

/**
 * Everything in one SQLite file. Several processes may share it on one machine.
 *
 * @example
 * ```ts
 * import { createCompactor } from "precis";
 * import { openaiChat } from "precis/dialects";
 * import { sqliteStore } from "@precis/gateway/stores";
 *
 * const store = sqliteStore({ path: "precis.db" });
 * const compactor = createCompactor({ dialect: openaiChat, budget: 8_000, store });
 * await compactor.fit([{ role: "user", content: "hello" }]);
 * await store.close();
 * ```
 */
export function sqliteStore({ path, durability = "process", ...options }: SqliteStoreOptions): ServerStore {
  return createSqlStore(sqliteEngine(path, durability), options);
}

/** SQLite's ways. */
export function sqliteEngine(path: string, durability: "process" | "power" = "process"): SqlEngine {
  const { dialect, direct } = nodeSqlite(() => openDatabase(path, { durability }));
  const folder = `${path}-journals`;
  // Until the power fails isn't long enough for a file that nobody waits for.
  const hasJournal = path !== IN_MEMORY && durability === "process";
  return {
    kind: "sqlite",
    dialect,
    direct,
    ...(hasJournal && {
      openJournal: (run) =>
        createJournal({
          folder,
          thread: startThread({ path, folder }),
          run,
          removals: () => JSON.stringify(direct.run(READ_REMOVALS)),
          isPassing: (error) => explainSqlite(error, path) !== undefined,
        }),
    }),
    rowsOf: {
      // In this order: looked up value by value, without a table of the values first.
      from: (table, column) =>
        `json_each(?) as wanted cross join ${table} on ${table}.${column} = wanted.value where ${table}.tenant = ?`,
      value: (values) => JSON.stringify(values),
    },
    isOneOf: (column, values) => sql`${column} in (select value from json_each(${JSON.stringify(values)}))`,
    explain: (error) => explainSqlite(error, path),
    async *snapshot(db, work) {
      if (path === IN_MEMORY) {
        yield* work(db);
        return;
      }
      // A reader of its own sees one moment for as long as it likes, and writers don't wait for it.
      const reader = new Kysely<Schema>({
        dialect: nodeSqlite(() => openDatabase(path, { durability, readOnly: true })).dialect,
      });
      try {
        const tx = await reader.startTransaction().setAccessMode("read only").execute();
        try {
          yield* work(tx);
        } finally {
          await tx.rollback().execute();
        }
      } finally {
        await reader.destroy();
      }
    },
    async bytes() {
      if (path === IN_MEMORY) return undefined;
      const files = [
        ...FILES.map((suffix) => path + suffix),
        ...journalsIn(folder).map((name) => join(folder, name)),
      ];
      return files
        .map((file) => statSync(file, { throwIfNoEntry: false })?.size ?? 0)
        .reduce((sum, size) => sum + size, 0);
    },
    async vacuum(db) {
      await sql`vacuum`.execute(db);
      await sql`pragma wal_checkpoint(truncate)`.execute(db);
    },
    // Deleted text is overwritten in the main file, and this empties the log that still has it.
    async scrub(db) {
      await sql`pragma wal_checkpoint(truncate)`.execute(db);
    },
  };
}
