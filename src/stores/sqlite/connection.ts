import type { DatabaseSync } from "node:sqlite";
import type { Statement } from "../sql/script.ts";
import { isBusy } from "./explain.ts";
import { BEGIN_WRITE, COMMIT, createSession, type SqliteSession, whenFree } from "./sqlite-session.ts";

/** The process's connection to a file. */
export interface SqliteConnection {
  /** Once it is open, nothing more happens. */
  open(): Promise<void>;
  /** Waits only while another process writes. */
  begin(): Promise<void> | undefined;
  run(statement: Statement): readonly unknown[];
  commit(): void;
  rollback(): void;
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
