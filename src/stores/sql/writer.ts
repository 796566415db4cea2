import { StoreError } from "../../core/errors.ts";
import type { Appended } from "../server-store.ts";
import { type AppendCall, appendAll } from "./append.ts";
import type { EarlyRecords } from "./records.ts";
import type { Script } from "./script.ts";
import type { RunScript, SqlEngine } from "./sql-engine.ts";

/** Writes that one transaction takes at most, so that none waits long. */
const MAX_BATCH = 256;
/** Turns of the event loop that a transaction waits at most, as long as more writes come in. */
const MAX_TURNS = 4;
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
  append(call: AppendCall): Promise<Appended>;
}

/** Something to write, and whoever waits for it. */
interface Pending {
  readonly call?: AppendCall;
  readonly script?: () => Script<unknown>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/**
 * Appends that come in together share a transaction and its statements. Where the database is in this process, there can be only one writer
 * anyway, and other writes share that transaction, too. None is acknowledged before the common commit, and one that fails
 * takes nothing of the others along.
 */
export function createWriter(engine: SqlEngine, early: EarlyRecords, now: () => number): Writer {
  const transact = retrying(engine);
  const most = engine.isLocal ? 1 : MOST_AT_ONCE;
  let queue: Pending[] = [];
  let running = 0;

  const flush = async (): Promise<void> => {
    running++;
    while (queue.length > 0) {
      await moreToCome();
      const batch = queue.slice(0, MAX_BATCH);
      queue = queue.slice(MAX_BATCH);
      if (batch.length > 0) await carryOut(batch);
    }
    running--;
  };
  const moreToCome = async (): Promise<void> => {
    for (let turn = 0; turn < MAX_TURNS && queue.length < MAX_BATCH; turn++) {
      const before = queue.length;
      await new Promise((resolve) => setImmediate(resolve));
      if (queue.length === before) return;
    }
  };
  const carryOut = async (batch: readonly Pending[]): Promise<void> => {
    try {
      const outcomes = await transact(() => together(batch));
      const held: Pending[] = [];
      for (const [index, one] of batch.entries()) {
        const outcome = outcomes[index];
        if (one.call && outcome === undefined) held.push(one);
        else if (outcome instanceof StoreError) one.reject(outcome);
        else one.resolve(outcome);
      }
      engine.appended?.(batch.length);
      // In their order, while other appends go on.
      if (held.length > 0) void oneByOne(held);
    } catch (error) {
      if (batch.length === 1) batch[0]!.reject(error);
      // Without savepoints, which cost as much as a small write.
      else await oneByOne(batch);
    }
  };
  const oneByOne = async (batch: readonly Pending[]): Promise<void> => {
    for (const one of batch) await carryOut([one]);
  };
  function* together(batch: readonly Pending[]): Script<readonly unknown[]> {
    const calls = batch.flatMap(({ call }) => call ?? []);
    const appended = calls.length === 0 ? [] : yield* appendAll(engine, calls, { early, now: now() });
    const outcomes: unknown[] = [];
    let next = 0;
    for (const { script } of batch) outcomes.push(script ? yield* script() : appended[next++]);
    return outcomes;
  }
  const enqueue = <T>(work: Pick<Pending, "call" | "script">): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      queue.push({ ...work, resolve: resolve as Pending["resolve"], reject });
      if (running < most) void flush();
    });
  return {
    run: engine.isLocal ? (script) => enqueue({ script }) : transact,
    append: (call) => enqueue({ call }),
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
