import { sql } from "kysely";
import type { Db, SqlEngine } from "./sql-engine.ts";

/** Runs transactions. */
export interface Writer {
  write<T>(work: (tx: Db) => Promise<T>): Promise<T>;
  /** Resolves when nothing is under way. */
  settled(): Promise<void>;
}

/** Writes that one transaction takes at most, so that none waits long. */
const MAX_BATCH = 256;
/** How often a transaction that met another one is run again. */
const MAX_ATTEMPTS = 5;
/** Pause before it is run again, times the attempt. */
const CONFLICT_PAUSE_MS = 5;

export function createWriter(db: Db, engine: SqlEngine): Writer {
  return engine.batchWrites ? batchWriter(db) : directWriter(db, engine);
}

/** One transaction for each write: the database itself joins commits. */
function directWriter(db: Db, engine: SqlEngine): Writer {
  const running = new Set<Promise<unknown>>();
  const attempt = async <T>(work: (tx: Db) => Promise<T>): Promise<T> => {
    for (let tried = 1; ; tried++) {
      try {
        return await db.transaction().execute(work);
      } catch (error) {
        if (tried === MAX_ATTEMPTS || !engine.isConflict?.(error)) throw error;
        await new Promise((resolve) => setTimeout(resolve, tried * CONFLICT_PAUSE_MS));
      }
    }
  };
  return {
    write(work) {
      const run = attempt(work);
      running.add(run);
      const done = () => running.delete(run);
      run.then(done, done);
      return run;
    },
    async settled() {
      await Promise.allSettled(running);
    },
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
function batchWriter(db: Db): Writer {
  let queue: Pending[] = [];
  let flushing: Promise<void> | undefined;

  const flush = async (): Promise<void> => {
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
    flushing = undefined;
  };

  return {
    write<T>(work: (tx: Db) => Promise<T>) {
      return new Promise<T>((resolve, reject) => {
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
        flushing ??= flush();
      });
    },
    async settled() {
      await flushing;
    },
  };
}
