import type { AppendCall } from "../shared/plan-append.ts";
import { moreToCome } from "./more-to-come.ts";
import { runNow, type Script } from "./script.ts";
import type { DirectDatabase, RunScript, SqlEngine } from "./sql-engine.ts";

/** Writes that one transaction takes at most, so that none waits long. */
const MAX_BATCH = 256;
/** How often a transaction that met another one is run again. */
const MAX_ATTEMPTS = 5;
/** Pause before it is run again, times the attempt. */
const CONFLICT_PAUSE_MS = 5;

/** Runs transactions; what resolves is in the store for good. The script is made anew for every try; `call` is it as plain data. */
export type Writer = <T>(script: () => Script<T>, call?: AppendCall) => Promise<T>;

export function createWriter(engine: SqlEngine): Writer {
  const runScript = engine.direct ? batchWriter(engine.direct) : retrying(engine);
  return async <T>(script: () => Script<T>, call?: AppendCall): Promise<T> => {
    const appended = call && (await engine.append?.(call));
    return appended === undefined ? runScript(script) : (appended as T);
  };
}

/** One transaction for each script. One that met another is run again. */
function retrying(engine: Pick<SqlEngine, "transact" | "isConflict">): RunScript {
  return async (script) => {
    for (let tried = 1; ; tried++) {
      try {
        return await engine.transact(script());
      } catch (error) {
        if (tried === MAX_ATTEMPTS || !engine.isConflict?.(error)) throw error;
        await new Promise((resolve) => setTimeout(resolve, tried * CONFLICT_PAUSE_MS));
      }
    }
  };
}

interface Pending {
  readonly script: () => Script<unknown>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/**
 * One transaction for all writes that came in during one turn of the event loop. None is acknowledged before the common
 * commit, and one that fails takes nothing of the others along.
 */
function batchWriter(direct: DirectDatabase): RunScript {
  let queue: Pending[] = [];
  let isFlushing = false;

  const flush = async (): Promise<void> => {
    isFlushing = true;
    while (queue.length > 0) {
      await moreToCome(() => queue.length, MAX_BATCH);
      const batch = queue.slice(0, MAX_BATCH);
      queue = queue.slice(MAX_BATCH);
      await runTogether(batch);
    }
    isFlushing = false;
  };

  /** Without savepoints, which cost as much as a small write: if one fails, they are run again one by one. */
  const runTogether = async (batch: readonly Pending[]): Promise<void> => {
    const values: unknown[] = [];
    try {
      await direct.begin();
    } catch (error) {
      for (const one of batch) one.reject(error);
      return;
    }
    try {
      for (const { script } of batch) values.push(runNow(script(), direct.run));
      direct.commit();
    } catch (error) {
      direct.rollback();
      if (batch.length === 1) batch[0]!.reject(error);
      else for (const one of batch) await runTogether([one]);
      return;
    }
    batch.forEach((one, index) => {
      one.resolve(values[index]);
    });
  };

  return <T>(script: () => Script<T>) =>
    new Promise<T>((resolve, reject) => {
      queue.push({ script, resolve: resolve as Pending["resolve"], reject });
      if (!isFlushing) flush();
    });
}
