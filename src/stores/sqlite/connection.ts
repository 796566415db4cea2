import type { DatabaseSync } from "node:sqlite";
import type { DirectDatabase } from "../sql/sql-engine.ts";
import { isBusy } from "./explain.ts";
import { BEGIN_WRITE, COMMIT, createSession, type SqliteSession, whenFree } from "./sqlite-session.ts";

/** The process's connection to a file. */
export interface SqliteConnection extends DirectDatabase {
  /** Once it is open, nothing more happens. */
  open(): Promise<void>;
  close(): void;
}

/** `wrote` is called when a transaction is in the file. */
export function createConnection(
  openDatabase: () => Promise<DatabaseSync>,
  { wrote }: { wrote(): void },
): SqliteConnection {
  let session: SqliteSession | undefined;
  let opening: Promise<void> | undefined;
  const current = (): SqliteSession => {
    if (!session) throw new Error("the database isn't open");
    return session;
  };
  return {
    open() {
      opening ??= openDatabase().then(
        (database) => {
          session = createSession(database);
        },
        (error: unknown) => {
          opening = undefined;
          throw error;
        },
      );
      return opening;
    },
    begin() {
      try {
        current().run(BEGIN_WRITE);
        return undefined;
      } catch (error) {
        if (isBusy(error)) return whenFree(() => current().run(BEGIN_WRITE));
        throw error;
      }
    },
    run: (statement) => current().run(statement),
    commit() {
      current().run(COMMIT);
      wrote();
    },
    rollback: () => current().rollback(),
    close() {
      session?.close();
      session = undefined;
    },
  };
}
