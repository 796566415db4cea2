import { CompiledQuery, sql } from "kysely";
import type { AppendCall } from "../shared/plan-append.ts";
import { moreToCome } from "./more-to-come.ts";
import { numberedOnce, runNow, runSoon, type Script } from "./script.ts";
import type { Db, SqlEngine } from "./sql-engine.ts";

/** Runs transactions; what resolves is in the store for good. */
export interface Writer {
  run<T>(work: (tx: Db) => Promise<T>): Promise<T>;
  /** The script is made anew for every try. `call` says the same as plain data, if it can be said so. */
  runScript<T>(script: () => Script<T>, call?: AppendCall): Promise<T>;
}

/** Writes that one transaction takes at most, so that none waits long. */
const MAX_BATCH = 256;
/** How often a transaction that met another one is run again. */
const MAX_ATTEMPTS = 5;
/** Pause before it is run again, times the attempt. */
const CONFLICT_PAUSE_MS = 5;

export function createWriter(db: Db, engine: SqlEngine): Writer {
  const writer = engine.direct ? batchWriter(db, engine.direct) : directWriter(db, engine);
  return {
    run: writer.run,
    async runScript<T>(script: () => Script<T>, call?: AppendCall): Promise<T> {
      const appended = call && (await engine.append?.(call));
      return appended === undefined ? writer.runScript(script) : (appended as T);
    },
  };
}

/** Runs a script in a transaction that is under way. */
export async function runScriptIn<T>(tx: Db, engine: SqlEngine, script: Script<T>): Promise<T> {
  if (engine.direct) return runNow(script, engine.direct.run);
  return runSoon(script, async ({ sql: text, parameters }) => {
    const { rows } = await tx.executeQuery(CompiledQuery.raw(numberedOnce(text), [...parameters]));
    return rows;
  });
}

/** One transaction for each write. */
function directWriter(db: Db, engine: SqlEngine): Writer {
  const again = async <T>(work: () => Promise<T>): Promise<T> => {
    for (let tried = 1; ; tried++) {
      try {
        return await work();
      } catch (error) {
        if (tried === MAX_ATTEMPTS || !engine.isConflict?.(error)) throw error;
        await new Promise((resolve) => setTimeout(resolve, tried * CONFLICT_PAUSE_MS));
      }
    }
  };
  const run = <T>(work: (tx: Db) => Promise<T>): Promise<T> => again(() => db.transaction().execute(work));
  const alone = <T>(script: () => Script<T>): Promise<T> =>
    engine.runScript
      ? again(() => engine.runScript!(script()))
      : run((tx) => runScriptIn(tx, engine, script()));
  return { run, runScript: alone };
}

interface Pending {
  /** Undefined for work that waits in between. */
  readonly script: (() => Script<unknown>) | undefined;
  work(tx: Db): Promise<unknown>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/**
 * One transaction for all writes that came in during one turn of the event loop. None is acknowledged before the common
 * commit, and one that fails takes nothing of the others along.
 */
function batchWriter(db: Db, direct: NonNullable<SqlEngine["direct"]>): Writer {
  let queue: Pending[] = [];
  let isFlushing = false;

  const flush = async (): Promise<void> => {
    isFlushing = true;
    while (queue.length > 0) {
      await moreToCome(() => queue.length, MAX_BATCH);
      const batch = queue.slice(0, MAX_BATCH);
      queue = queue.slice(MAX_BATCH);
      if (batch.every(({ script }) => script !== undefined)) await runScripts(batch);
      else await runMixed(db, batch);
    }
    isFlushing = false;
  };

  /** Without savepoints, which cost as much as a small write: if one fails, they are run again one by one. */
  const runScripts = async (batch: readonly Pending[]): Promise<void> => {
    const values: unknown[] = [];
    try {
      await direct.begin();
    } catch (error) {
      for (const one of batch) one.reject(error);
      return;
    }
    try {
      for (const { script } of batch) values.push(runNow(script!(), direct.run));
      direct.commit();
    } catch (error) {
      direct.rollback();
      if (batch.length === 1) batch[0]!.reject(error);
      else for (const one of batch) await runScripts([one]);
      return;
    }
    batch.forEach((one, index) => {
      one.resolve(values[index]);
    });
  };

  const enqueue = <T>(pending: Pick<Pending, "script" | "work">): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      queue.push({ ...pending, resolve: resolve as Pending["resolve"], reject });
      if (!isFlushing) flush();
    });
  return {
    run: (work) => enqueue({ script: undefined, work }),
    runScript: (script) => enqueue({ script, work: async () => runNow(script(), direct.run) }),
  };
}

/** Each behind a savepoint of its own. */
async function runMixed(db: Db, batch: readonly Pending[]): Promise<void> {
  const outcomes: (() => void)[] = [];
  try {
    await db.transaction().execute(async (tx) => {
      for (const one of batch) {
        await sql`savepoint one_write`.execute(tx);
        try {
          const value = await one.work(tx);
          outcomes.push(() => one.resolve(value));
        } catch (error) {
          await sql`rollback to one_write`.execute(tx);
          outcomes.push(() => one.reject(error));
        }
        await sql`release one_write`.execute(tx);
      }
    });
  } catch (error) {
    for (const one of batch) one.reject(error);
    return;
  }
  for (const settle of outcomes) settle();
}
