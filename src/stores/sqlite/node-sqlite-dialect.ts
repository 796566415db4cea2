import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type TransactionSettings,
} from "kysely";
import type { DirectDatabase } from "../sql/sql-engine.ts";
import { isBusy } from "./explain.ts";

/** How long a statement may hold up the process while another process has the lock. */
const BUSY_TIMEOUT_MS = 50;
/** How long a transaction waits for another process's, in all; meanwhile this process goes on with other things. */
const BEGIN_TIMEOUT_MS = 15_000;
/** Pause between two tries, and how much of it is random so that two processes don't keep step. */
const BEGIN_PAUSE_MS = 4;
const BEGIN_JITTER_MS = 12;
/** Prepared statements that are kept. */
const MAX_STATEMENTS = 200;

/** Pages that are kept in memory: hashes lie anywhere in their indexes, so a small cache would read pages over and over. */
const CACHE_KB = 16_384;
/** The log is taken over into the main file when it has this many pages of 4 KB: a page that changed often is then written once. */
const WAL_PAGES = 4_000;

const RETURNS_ROWS = /^\s*(select|with|pragma|explain)\b|\breturning\b/i;

/** The SQLite that Node brings along: for Kysely, and for scripts that run at once on the same connection. */
export function nodeSqlite(open: () => DatabaseSync | Promise<DatabaseSync>): {
  readonly dialect: Dialect;
  readonly direct: DirectDatabase;
} {
  let session: SqliteSession | undefined;
  const current = (): SqliteSession => {
    if (!session) throw new Error("the database isn't open");
    return session;
  };
  const driver: Driver = {
    async init() {
      session = createSession(await open());
    },
    acquireConnection: async () => current().connection,
    async beginTransaction(_connection, { accessMode }: TransactionSettings) {
      // A writer takes its lock at the start: taking it halfway fails if another process wrote in between.
      const begin = accessMode === "read only" ? "begin" : BEGIN_WRITE;
      await whenFree(() => current().run(begin, []));
    },
    async commitTransaction() {
      current().run("commit", []);
    },
    async rollbackTransaction() {
      current().rollback();
    },
    async releaseConnection() {},
    async destroy() {
      session?.close();
      session = undefined;
    },
  };
  return {
    dialect: {
      createDriver: () => driver,
      createQueryCompiler: () => new SqliteQueryCompiler(),
      createAdapter: () => new SqliteAdapter(),
      createIntrospector: (db) => new SqliteIntrospector(db),
    },
    direct: {
      begin() {
        try {
          current().run(BEGIN_WRITE, []);
          return undefined;
        } catch (error) {
          if (!isBusy(error)) throw error;
          return whenFree(() => current().run(BEGIN_WRITE, []));
        }
      },
      run: ({ sql, parameters }) => current().run(sql, parameters).rows,
      commit: () => void current().run("commit", []),
      rollback: () => current().rollback(),
    },
  };
}

const BEGIN_WRITE = "begin immediate";

/** Opens a file and sets it up: WAL, foreign keys, deleted text overwritten. */
export async function openDatabase(
  path: string,
  { durability, readOnly = false }: { readonly durability: "process" | "power"; readonly readOnly?: boolean },
): Promise<DatabaseSync> {
  const database = new DatabaseSync(path, { readOnly });
  try {
    await whenFree(() => {
      database.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
      if (!readOnly) database.exec("pragma journal_mode = wal");
      // In WAL mode `normal` keeps every commit when the process dies; `full` also when the power fails.
      database.exec(`pragma synchronous = ${durability === "power" ? "full" : "normal"}`);
      database.exec("pragma foreign_keys = on");
      database.exec(`pragma cache_size = -${CACHE_KB}`);
      database.exec(`pragma wal_autocheckpoint = ${WAL_PAGES}`);
      if (!readOnly) database.exec("pragma secure_delete = on");
    });
  } catch (error) {
    database.close();
    throw error;
  }
  return database;
}

/** Runs `work`; while another process holds the lock, tries again without holding up this one. */
async function whenFree(work: () => void): Promise<void> {
  const deadline = Date.now() + BEGIN_TIMEOUT_MS;
  for (;;) {
    try {
      work();
      return;
    } catch (error) {
      if (!isBusy(error) || Date.now() > deadline) throw error;
      const pause = BEGIN_PAUSE_MS + Math.random() * BEGIN_JITTER_MS;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}

/** An open database with its prepared statements. */
interface SqliteSession {
  readonly connection: DatabaseConnection;
  run(sql: string, parameters: readonly unknown[]): QueryResult<unknown>;
  rollback(): void;
  close(): void;
}

interface Prepared {
  readonly statement: StatementSync;
  readonly returnsRows: boolean;
}

function createSession(database: DatabaseSync): SqliteSession {
  const statements = new Map<string, Prepared>();
  const prepare = (sql: string): Prepared => {
    const known = statements.get(sql);
    if (known) return known;
    const made = { statement: database.prepare(sql), returnsRows: RETURNS_ROWS.test(sql) };
    // All at once, because those that every request needs are prepared again within moments.
    if (statements.size >= MAX_STATEMENTS) statements.clear();
    statements.set(sql, made);
    return made;
  };
  const run = (sql: string, parameters: readonly unknown[]): QueryResult<unknown> => {
    const values = parameters as readonly SQLInputValue[];
    const { statement, returnsRows } = prepare(sql);
    if (returnsRows) return { rows: statement.all(...values) };
    const { changes } = statement.run(...values);
    return { rows: [], numAffectedRows: BigInt(changes) };
  };
  return {
    connection: {
      executeQuery: async <R>({ sql, parameters }: CompiledQuery) => run(sql, parameters) as QueryResult<R>,
      streamQuery() {
        throw new Error("not needed: large results are read in pages");
      },
    },
    run,
    rollback() {
      try {
        database.exec("rollback");
      } catch (error) {
        // Some errors (a full disk) have ended the transaction already.
        if (!/no transaction is active/.test(String(error))) throw error;
      }
    },
    close: () => database.close(),
  };
}
