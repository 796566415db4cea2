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
      const begin = accessMode === "read only" ? { sql: "begin", parameters: [] } : BEGIN_WRITE;
      await whenFree(() => current().run(begin));
    },
    async commitTransaction() {
      current().run(COMMIT);
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
          current().run(BEGIN_WRITE);
          return undefined;
        } catch (error) {
          if (!isBusy(error)) throw error;
          return whenFree(() => current().run(BEGIN_WRITE));
        }
      },
      run: (statement) => current().run(statement).rows,
      commit: () => void current().run(COMMIT),
      rollback: () => current().rollback(),
    },
  };
}
