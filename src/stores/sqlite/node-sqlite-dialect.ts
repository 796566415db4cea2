import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type TransactionSettings,
} from "kysely";
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

const RETURNS_ROWS = /^\s*(select|with|pragma|explain)\b|\breturning\b/i;

/** Kysely over the SQLite that Node brings along. */
export function nodeSqliteDialect(open: () => DatabaseSync | Promise<DatabaseSync>): Dialect {
  return {
    createDriver: () => createDriver(open),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  };
}

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
      if (!readOnly) database.exec("pragma secure_delete = on");
    });
  } catch (error) {
    database.close();
    throw error;
  }
  return database;
}

function createDriver(open: () => DatabaseSync | Promise<DatabaseSync>): Driver {
  let database: DatabaseSync | undefined;
  let connection: DatabaseConnection | undefined;
  const run = (sql: string) => connection?.executeQuery(CompiledQuery.raw(sql));
  return {
    async init() {
      database = await open();
      connection = createConnection(database);
    },
    async acquireConnection() {
      if (!connection) throw new Error("the database isn't open");
      return connection;
    },
    async beginTransaction(_connection, { accessMode }: TransactionSettings) {
      // A writer takes its lock at the start: taking it halfway fails if another process wrote in between.
      const begin = accessMode === "read only" ? "begin" : "begin immediate";
      await whenFree(() => database?.exec(begin));
    },
    async commitTransaction() {
      await run("commit");
    },
    async rollbackTransaction() {
      try {
        database?.exec("rollback");
      } catch (error) {
        // Some errors (a full disk) have ended the transaction already.
        if (!/no transaction is active/.test(String(error))) throw error;
      }
    },
    async releaseConnection() {},
    async destroy() {
      database?.close();
      database = undefined;
      connection = undefined;
    },
  };
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

function createConnection(database: DatabaseSync): DatabaseConnection {
  const statements = new Map<string, StatementSync>();
  const prepare = (sql: string): StatementSync => {
    const known = statements.get(sql);
    if (known) {
      statements.delete(sql);
      statements.set(sql, known);
      return known;
    }
    const statement = database.prepare(sql);
    statements.set(sql, statement);
    const oldest = statements.keys().next().value;
    if (statements.size > MAX_STATEMENTS && oldest !== undefined) statements.delete(oldest);
    return statement;
  };
  return {
    async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
      const values = parameters as readonly SQLInputValue[];
      const statement = prepare(sql);
      if (RETURNS_ROWS.test(sql)) return { rows: statement.all(...values) as R[] };
      const { changes, lastInsertRowid } = statement.run(...values);
      return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
    },
    streamQuery() {
      throw new Error("not needed: large results are read in pages");
    },
  };
}
