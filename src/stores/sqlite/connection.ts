import type { DatabaseSync } from "node:sqlite";
import type { DirectDatabase } from "../sql/sql-engine.ts";
import { isBusy } from "./explain.ts";
import { BEGIN_WRITE, COMMIT, createSession, type SqliteSession, whenFree } from "./sqlite-session.ts";
import type { Turns } from "./turns.ts";

/** The process's own connection to a file: for all that the thread doesn't write. */
export interface SqliteConnection extends DirectDatabase {
  /** Once it is open, nothing more happens. */
  open(): Promise<void>;
  close(): void;
}

/** A transaction that writes takes its turn; `wrote` is called when one is in the file. */
export function createConnection(
  openDatabase: () => Promise<DatabaseSync>,
  { turns, wrote }: { readonly turns: Turns; wrote(): void },
): SqliteConnection {
  let session: SqliteSession | undefined;
  let opening: Promise<void> | undefined;
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
    run: (statement) => current().run(statement),
    commit() {
      current().run(COMMIT);
      giveTurn();
      wrote();
    },
    rollback() {
      try {
        current().rollback();
      } finally {
        giveTurn();
      }
    },
    close() {
      session?.close();
      session = undefined;
    },
  };
}
