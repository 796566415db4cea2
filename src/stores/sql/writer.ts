import { sql } from "kysely";
import type { Db, SqlEngine } from "./sql-engine.ts";

/** Runs a transaction; resolves once it is in the store for good. */
export type Write = <T>(work: (tx: Db) => Promise<T>) => Promise<T>;

/** Writes that one transaction takes at most, so that none waits long. */
const MAX_BATCH = 256;
/** How often a transaction that met another one is run again. */
const MAX_ATTEMPTS = 5;
/** Pause before it is run again, times the attempt. */
const CONFLICT_PAUSE_MS = 5;

export function createWriter(db: Db, engine: SqlEngine): Write {
  return engine.batchWrites ? batchWriter(db) : directWriter(db, engine);
}

/** One transaction for each write: the database itself joins commits. */
function directWriter(db: Db, engine: SqlEngine): Write {
  return async (work) => {
    for (let tried = 1; ; tried++) {
      try {
        return await db.transaction().execute(work);
      } catch (error) {
        if (tried === MAX_ATTEMPTS || !engine.isConflict?.(error)) throw error;
        await new Promise((resolve) => setTimeout(resolve, tried * CONFLICT_PAUSE_MS));
      }
    }
  };
}

interface Pending {
  run(tx: Db): Promise<void>;
  /** Called once the transaction's end is known. */
  settle(failure: { readonly error: unknown } | undefined): void;
}

/**
 * One transaction for all writes that came in during one turn of the event loop. Each runs behind a savepoint of its
 * own, so that one that fails takes nothing of the others along. None is acknowledged before the common commit.
 */
function batchWriter(db: Db): Write {
  let queue: Pending[] = [];
  let isFlushing = false;

  const flush = async (): Promise<void> => {
    isFlushing = true;
    while (queue.length > 0) {
      // Requests that arrived together get the chance to be written together.
      await new Promise((resolve) => setImmediate(resolve));
      const batch = queue.slice(0, MAX_BATCH);
      queue = queue.slice(MAX_BATCH);
      let failure: { readonly error: unknown } | undefined;
      try {
        await db.transaction().execute(async (tx) => {
          for (const one of batch) await one.run(tx);
        });
      } catch (error) {
        failure = { error };
      }
      for (const one of batch) one.settle(failure);
    }
    isFlushing = false;
  };

  return <T>(work: (tx: Db) => Promise<T>) =>
    new Promise<T>((resolve, reject) => {
      let outcome: (() => void) | undefined;
      queue.push({
        async run(tx) {
          await sql`savepoint one_write`.execute(tx);
          try {
            const value = await work(tx);
            outcome = () => resolve(value);
          } catch (error) {
            await sql`rollback to one_write`.execute(tx);
            outcome = () => reject(error);
          }
          await sql`release one_write`.execute(tx);
        },
        settle(failure) {
          if (failure || !outcome) reject(failure?.error);
          else outcome();
        },
      });
      if (!isFlushing) flush();
    });
}
