import type { DatabaseSync } from "node:sqlite";
import {
  type CompiledQuery,
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
import { BEGIN_WRITE, COMMIT, createSession, type SqliteSession, whenFree } from "./sqlite-session.ts";
import { createTurns, type Turns } from "./turns.ts";

/**
 * The SQLite that Node brings along: for Kysely, and for scripts that run at once on the same connection. A transaction that
 * writes takes its turn; `wrote` is called when one is in the file.
 */
export function nodeSqlite(
  open: () => DatabaseSync | Promise<DatabaseSync>,
  { turns = createTurns(), wrote = () => {} }: { readonly turns?: Turns; wrote?(): void } = {},
): {
  readonly dialect: Dialect;
  readonly direct: DirectDatabase;
} {
  let session: SqliteSession | undefined;
  let hasTurn = false;
  const current = (): SqliteSession => {
    if (!session) throw new Error("the database isn't open");
    return session;
  };
  const begin = async (turn: Promise<void> | undefined): Promise<void> => {
    await turn;
    hasTurn = true;
    try {
      await whenFree(() => current().run(BEGIN_WRITE));
    } catch (error) {
      giveTurn();
      throw error;
    }
  };
  const giveTurn = (): void => {
    if (!hasTurn) return;
    hasTurn = false;
    turns.give();
  };
  const commit = (): void => {
    current().run(COMMIT);
    giveTurn();
    wrote();
  };
  const rollback = (): void => {
    try {
      current().rollback();
    } finally {
      giveTurn();
    }
  };
  const driver: Driver = {
    async init() {
      session = createSession(await open());
    },
    acquireConnection: async () => ({
      async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
        const { rows, changes } = current().run({ sql, parameters });
        return { rows: rows as R[], numAffectedRows: BigInt(changes) };
      },
      streamQuery() {
        throw new Error("not needed: large results are read in pages");
      },
    }),
    async beginTransaction(_connection, { accessMode }: TransactionSettings) {
      if (accessMode === "read only") await whenFree(() => current().run(BEGIN_READ));
      else await begin(turns.take());
    },
    async commitTransaction() {
      commit();
    },
    async rollbackTransaction() {
      rollback();
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
        const turn = turns.take();
        if (turn) return begin(turn);
        try {
          current().run(BEGIN_WRITE);
          hasTurn = true;
          return undefined;
        } catch (error) {
          if (isBusy(error)) return begin(undefined);
          turns.give();
          throw error;
        }
      },
      run: (statement) => current().run(statement).rows,
      commit,
      rollback,
    },
  };
}

const BEGIN_READ = { sql: "begin", parameters: [] };
