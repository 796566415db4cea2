import { closeSync, openSync, rmSync, statSync } from "node:fs";
import { StoreError } from "../core/errors.ts";
import type { ServerStore } from "./server-store.ts";
import { createSqlStore, type ServerStoreOptions } from "./sql/create-sql-store.ts";
import type { TextIndex } from "./sql/recall/index-messages.ts";
import { NEXT_KEY } from "./sql/schema.ts";
import { firstRow, runNow } from "./sql/script.ts";
import type { SqlEngine } from "./sql/sql-engine.ts";
import { createLogKeeper, createLogThread } from "./sqlite/log-thread.ts";
import {
  BEGIN_READ,
  createConnection,
  createSession,
  explainSqlite,
  KEEP_IN_FILES,
  KEEP_IN_MEMORY,
  openDatabase,
  PRIVATE,
  whenFree,
} from "./sqlite/sqlite-session.ts";

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

/** What `memoryServerStore` takes. */
export interface MemoryServerStoreOptions extends ServerStoreOptions {
  /** Conversations per tenant before the one that is quiet for longest is forgotten. Default 1,000. */
  readonly maxConversations?: number;
  /** Records per tenant that stand on no stored message before the oldest are forgotten. Default 10,000. */
  readonly maxRecords?: number;
  /** Rows of requests per tenant before the oldest are forgotten. Default 10,000. */
  readonly maxRequests?: number;
}

const DEFAULTS = {
  maxConversations: 1_000,
  maxRecords: 10_000,
  maxRequests: 10_000,
} as const;

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
  const { maxConversations, maxRecords, maxRequests, ...rest } = { ...DEFAULTS, ...options };
  const bounds = {
    conversations: maxConversations,
    records: maxRecords,
    requests: maxRequests,
  };
  return { ...createSqlStore(sqliteEngine(IN_MEMORY), { ...rest, bounds }), kind: "memory" };
}

/** Keys of conversations that a process takes at once: to ask for the newest took a twentieth of the time of an append. */
const KEYS_AT_ONCE = 64;
const NO_KEYS = { next: 0, end: 0 };

/** SQLite's ways. */
export function sqliteEngine(
  path: string,
  durability: NonNullable<SqliteStoreOptions["durability"]> = "process",
): SqlEngine {
  const isFile = path !== IN_MEMORY;
  const thread = isFile ? createLogThread(path) : undefined;
  const direct = createConnection(() => openDatabase(path, { durability }), { wrote: () => log?.wrote() });
  const log = thread && createLogKeeper({ thread, direct, logBytes: () => sizeOf(`${path}-wal`) });
  let keys = NO_KEYS;
  const check = isFile ? createFileCheck(path) : () => {};
  return {
    kind: "sqlite",
    isLocal: true,
    async open() {
      await direct.open();
      check();
    },
    async read(script) {
      check();
      return runNow(script, direct.run);
    },
    async transact(script) {
      check();
      const begun = direct.begin();
      if (begun) await begun;
      try {
        const value = runNow(script, direct.run);
        direct.commit();
        return value;
      } catch (error) {
        direct.rollback();
        keys = NO_KEYS;
        throw error;
      }
    },
    *newKey() {
      if (keys.next === keys.end) {
        const row = yield* firstRow<{ readonly value: string }>(
          `update precis_meta set value = value + ${KEYS_AT_ONCE} where key = '${NEXT_KEY}' returning value`,
        );
        const end = Number(row?.value);
        keys = { next: end - KEYS_AT_ONCE, end };
      }
      return keys.next++;
    },
    textIndex: sqliteTextIndex,
    rowsOf: {
      // In this order: looked up value by value, without a table of the values first.
      from: (table, column) =>
        `json_each(?) as wanted cross join ${table} on ${table}.${column} = wanted.value where ${table}.tenant = ?`,
      value: (values) => JSON.stringify(values),
    },
    // In this order, too: a cross join isn't turned round.
    among: {
      from: "json_each(?) as wanted cross",
      value: "wanted.value",
      place: "wanted.key",
    },
    isOneOf: (column) => `${column} in (select value from json_each(?))`,
    explain: (error) => explainSqlite(error, path),
    async *snapshot(work) {
      if (!isFile) {
        yield* work(async (script) => runNow(script, direct.run));
        return;
      }
      // A reader of its own sees one moment for as long as it likes, and writers don't wait for it.
      const reader = createSession(await openDatabase(path, { durability, readOnly: true }));
      try {
        await whenFree(() => reader.run(BEGIN_READ));
        yield* work(async (script) => runNow(script, reader.run));
      } finally {
        reader.close();
      }
    },
    async bytes() {
      if (!isFile) return undefined;
      return FILES.reduce((sum, suffix) => sum + sizeOf(path + suffix), 0);
    },
    async vacuum() {
      for (const sql of [KEEP_IN_FILES, "vacuum", KEEP_IN_MEMORY]) direct.run({ sql, parameters: [] });
      await log?.empty();
    },
    // Deleted text is overwritten in the main file, and this empties the log that still has it.
    async scrub() {
      await log?.empty();
    },
    ...(isFile && { backup: (file) => backupInto(path, file) }),
    async close() {
      log?.close();
      await thread?.close();
      direct.close();
    },
  };
}

/** Fails where the file that was opened is no longer there: SQLite would go on writing into one that nobody can open any more. */
function createFileCheck(path: string): () => void {
  const file = path.replace(/^file:(?:\/\/)?/i, "").replace(/\?.*$/, "");
  let opened: number | undefined;
  return () => {
    const found = statSync(file, { throwIfNoEntry: false })?.ino;
    opened ??= found;
    if (found === opened) return;
    throw new StoreError({
      operation: "open",
      message: `${path} was deleted or replaced while it was in use.`,
      fix: "Put it back, or restart to begin with what is there now.",
      cause: new Error("the file is gone"),
    });
  };
}

/** 0 if there is no such file. */
function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** Writes all that a database holds, its log included, into a new file that is whole by itself. */
async function backupInto(path: string, file: string): Promise<void> {
  createNew(file);
  const database = await openDatabase(path, { durability: "process", readOnly: true });
  try {
    // SQLite takes a file that is empty for one that isn't there, and so it keeps its mode.
    database.prepare("vacuum into ?").run(file);
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  } finally {
    database.close();
  }
}

function createNew(file: string): void {
  try {
    closeSync(openSync(file, "wx", PRIVATE));
  } catch (error) {
    const isThere = error instanceof Error && "code" in error && error.code === "EEXIST";
    throw new StoreError({
      operation: "backup",
      message: isThere ? `${file} exists already.` : `${file} can't be made.`,
      fix: isThere ? "Choose another file." : "Check that its folder exists and may be written.",
      cause: error,
    });
  }
}

/**
 * FTS5 without the texts. Numbers are cast, because what JavaScript hands over is a fraction to SQLite, and FTS5 passes over
 * a bound that isn't whole.
 */
const sqliteTextIndex: TextIndex = {
  add: (document, tokens) => ({
    sql: "insert into precis_recall (rowid, tokens) values (cast(? as integer), ?)",
    parameters: [document, tokens.join(" ")],
  }),
  remove: (document, tokens) => ({
    sql: "insert into precis_recall (precis_recall, rowid, tokens) values ('delete', cast(? as integer), ?)",
    parameters: [document, tokens.join(" ")],
  }),
  find: (tokens, [from, to], limit, condition = () => "true") => ({
    sql: `select rowid as doc from precis_recall where precis_recall match ?
      and rowid between cast(? as integer) and cast(? as integer) and ${condition("precis_recall.rowid")} order by rowid desc limit ?`,
    parameters: [tokens.map((token) => `"${token}"`).join(" or "), from, to, limit],
  }),
};
