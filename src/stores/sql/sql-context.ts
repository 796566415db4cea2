import { Kysely } from "kysely";
import { StoreError } from "../../core/errors.ts";
import type { Appended } from "../server-store.ts";
import type { Schema } from "./schema.ts";
import type { Script } from "./script.ts";
import type { AppendCall, AppendJournal, Db, SqlEngine } from "./sql-engine.ts";
import { storeFailure } from "./store-failure.ts";
import { createWriter, runScriptIn } from "./writer.ts";

/** Effects that are handed in, so that tests can hold the clock still. */
export interface StoreEffects {
  now(): number;
  newId(): string;
}

/** What every group of methods works with. */
export interface SqlContext extends StoreEffects {
  readonly engine: SqlEngine;
  readonly journal: AppendJournal | undefined;
  /** Runs queries that change nothing. They see everything that was appended. */
  read<T>(operation: string, work: (db: Db) => Promise<T>): Promise<T>;
  /** The same for what has nothing to do with transcripts, and so needn't wait for them. */
  readApart<T>(operation: string, work: (db: Db) => Promise<T>): Promise<T>;
  writeApart<T>(operation: string, work: (tx: Db) => Promise<T>): Promise<T>;
  /** The same as statements that are always the same ones, for what servers ask with every request. */
  readScript<T>(operation: string, script: () => Script<T>): Promise<T>;
  readScriptApart<T>(operation: string, script: () => Script<T>): Promise<T>;
  /** Runs a transaction. When it resolves, what was written is in the store for good. */
  write<T>(operation: string, work: (tx: Db) => Promise<T>): Promise<T>;
  /** Runs an append; `script` says the same as statements. When it resolves, what was appended is in the store for good. */
  append(call: AppendCall, script: () => Script<Appended>): Promise<Appended>;
  /** Runs a query on data that doesn't change meanwhile. */
  snapshot<T>(operation: string, work: (db: Db) => AsyncIterable<T>): AsyncIterable<T>;
  ready(): Promise<void>;
  close(): Promise<void>;
}

/** Opens a database at its first use; `prepare` brings the schema up to date. */
export function createSqlContext({
  engine,
  effects,
  prepare,
}: {
  readonly engine: SqlEngine;
  readonly effects: StoreEffects;
  /** `settle` takes what stands in journals into the tables. */
  readonly prepare: (db: Db, settle: () => Promise<void> | undefined) => Promise<void>;
}): SqlContext {
  const db = new Kysely<Schema>({ dialect: engine.dialect });
  const writer = createWriter(db, engine);
  const journal = engine.openJournal?.((script) => writer.runScript(script));
  let opened: Promise<void> | undefined;
  let isOpen = false;
  let closed: Promise<void> | undefined;

  const ready = (operation: string): Promise<void> => {
    if (closed) {
      throw new StoreError({
        operation,
        message: "the store is closed.",
        fix: "Close it after its last use.",
      });
    }
    // A failure isn't remembered: a database that was down for a moment is tried again at the next call.
    opened ??= prepare(db, () => journal?.settle()).then(
      () => {
        isOpen = true;
      },
      (error: unknown) => {
        opened = undefined;
        throw error;
      },
    );
    return opened;
  };
  const running = new Set<Promise<unknown>>();
  const run = async <T>(operation: string, work: () => Promise<T>): Promise<T> => {
    try {
      await ready(operation);
      return await work();
    } catch (error) {
      throw storeFailure(operation, error, engine);
    }
  };
  const settled = async <T>(work: () => Promise<T>): Promise<T> => {
    await journal?.settle();
    return work();
  };
  const guard = <T>(operation: string, work: () => Promise<T>): Promise<T> => {
    const promise = run(operation, work);
    running.add(promise);
    const done = () => running.delete(promise);
    promise.then(done, done);
    return promise;
  };

  return {
    engine,
    ...effects,
    ready: () => guard("open", async () => {}),
    journal,
    read: (operation, work) => guard(operation, () => settled(() => work(db))),
    readApart: (operation, work) => guard(operation, () => work(db)),
    writeApart: (operation, work) => guard(operation, () => writer.run(work)),
    readScript: (operation, script) =>
      guard(operation, () => settled(() => runScriptIn(db, engine, script()))),
    readScriptApart: (operation, script) => guard(operation, () => runScriptIn(db, engine, script())),
    write: (operation, work) => guard(operation, () => settled(() => writer.run(work))),
    append(call, script) {
      const slow = () => settled(() => writer.runScript(script, call));
      if (!journal) return guard("append", slow);
      if (!isOpen || closed) return guard("append", () => journal.append(call, slow));
      // Who closes the store closes the journal, and so waits for what the journal took.
      try {
        return journal.append(call, () => guard("append", slow));
      } catch (error) {
        return Promise.reject(storeFailure("append", error, engine));
      }
    },
    async *snapshot(operation, work) {
      try {
        await ready(operation);
        await journal?.settle();
        yield* engine.snapshot(db, work);
      } catch (error) {
        throw storeFailure(operation, error, engine);
      }
    },
    close() {
      closed ??= (async () => {
        await opened?.catch(() => {});
        await Promise.allSettled(running);
        if (opened) await journal?.close();
        await db.destroy();
        await engine.closed?.();
      })();
      return closed;
    },
  };
}
