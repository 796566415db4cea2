import { StoreError } from "../../core/errors.ts";
import type { Appended } from "../server-store.ts";
import { type AppendCall, appendAll } from "./append.ts";
import { moreToCome } from "./more-to-come.ts";
import type { EarlyRecords } from "./records.ts";
import { runNow, type Script } from "./script.ts";
import type { DirectDatabase, RunScript, SqlEngine } from "./sql-engine.ts";

/** Writes that one transaction takes at most, so that none waits long. */
const MAX_BATCH = 256;
/** How often a transaction that met another one is run again. */
const MAX_ATTEMPTS = 5;
/** Pause before it is run again, times the attempt. */
const CONFLICT_PAUSE_MS = 5;
/** Transactions of appends that a database behind a connection runs at the same time: one may wait for another server's. */
const MOST_AT_ONCE = 4;

/** Runs transactions; what resolves is in the store for good. */
export interface Writer {
  /** The script is made anew for every try. */
  readonly run: RunScript;
  /** Appends that come together share a transaction and its statements. */
  append(call: AppendCall): Promise<Appended>;
}

export function createWriter(engine: SqlEngine, early: EarlyRecords, now: () => number): Writer {
  const run = engine.direct ? batchWriter(engine.direct) : retrying(engine);
  return { run, append: appendTogether(engine, run, { early, now }) };
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

/** Something that waits for its turn, and whoever waits for it. */
interface Pending<In, Out> {
  readonly of: In;
  resolve(value: Out): void;
  reject(error: unknown): void;
}

/** Hands over what came together, a batch at a time; as many batches as `most` run at the same time. */
function inBatches<In, Out>(
  carryOut: (batch: readonly Pending<In, Out>[]) => Promise<void>,
  most: number,
): (of: In) => Promise<Out> {
  let queue: Pending<In, Out>[] = [];
  let running = 0;
  const flush = async (): Promise<void> => {
    running++;
    while (queue.length > 0) {
      await moreToCome(() => queue.length, MAX_BATCH);
      const batch = queue.slice(0, MAX_BATCH);
      queue = queue.slice(MAX_BATCH);
      if (batch.length > 0) await carryOut(batch);
    }
    running--;
  };
  return (of) =>
    new Promise((resolve, reject) => {
      queue.push({ of, resolve, reject });
      if (running < most) void flush();
    });
}

/**
 * One transaction for all writes that came in during one turn of the event loop. None is acknowledged before the common
 * commit, and one that fails takes nothing of the others along.
 */
function batchWriter(direct: DirectDatabase): RunScript {
  /** Without savepoints, which cost as much as a small write: if one fails, they are run again one by one. */
  const runTogether = async (batch: readonly Pending<() => Script<unknown>, unknown>[]): Promise<void> => {
    const values: unknown[] = [];
    try {
      await direct.begin();
    } catch (error) {
      for (const one of batch) one.reject(error);
      return;
    }
    try {
      for (const { of: script } of batch) values.push(runNow(script(), direct.run));
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
  const write = inBatches(runTogether, 1);
  return <T>(script: () => Script<T>) => write(script) as Promise<T>;
}

function appendTogether(
  engine: SqlEngine,
  run: RunScript,
  { early, now }: { readonly early: EarlyRecords; now(): number },
): Writer["append"] {
  const carryOut = async (batch: readonly Pending<AppendCall, Appended>[]): Promise<void> => {
    try {
      const outcomes = await run(() =>
        appendAll(
          engine,
          batch.map(({ of }) => of),
          { early, now: now() },
        ),
      );
      const held: Pending<AppendCall, Appended>[] = [];
      for (const [index, one] of batch.entries()) {
        const outcome = outcomes[index];
        if (outcome === undefined) held.push(one);
        else if (outcome instanceof StoreError) one.reject(outcome);
        else one.resolve(outcome);
      }
      engine.appended?.(batch.length);
      // In their order, while other appends go on.
      if (held.length > 0) void oneByOne(held);
    } catch (error) {
      if (batch.length === 1) batch[0]!.reject(error);
      else await oneByOne(batch);
    }
  };
  const oneByOne = async (batch: readonly Pending<AppendCall, Appended>[]): Promise<void> => {
    for (const one of batch) await carryOut([one]);
  };
  return inBatches(carryOut, engine.direct ? 1 : MOST_AT_ONCE);
}
