import { PrecisError, StoreError } from "../../core/errors.ts";
import type { Appended, NewMessage } from "../server-store.ts";
import { type AppendCall, appendAll } from "./append.ts";
import { indexSome } from "./recall/index-messages.ts";
import { createEarlyRecords, type EarlyRecords } from "./records.ts";
import { openSchema } from "./schema.ts";
import type { Script } from "./script.ts";
import type { ReadScript, RunScript, SqlEngine } from "./sql-engine.ts";

/** Effects that are handed in, so that tests can hold the clock still. */
export interface StoreEffects {
  now(): number;
  newId(): string;
}

/** Messages that are indexed in one transaction when nobody else has something to do. */
const INDEXED_AT_ONCE = 20;

/** What every group of methods works with. */
export type SqlContext = ReturnType<typeof createSqlContext>;

/** Opens a database at its first use. */
export function createSqlContext(engine: SqlEngine, effects: StoreEffects) {
  const early = createEarlyRecords();
  const { run: write, append } = createWriter(engine, early, effects.now, () => later.appended());
  const later = indexLater(() => write(() => indexSome(engine, INDEXED_AT_ONCE)));
  let opened: Promise<void> | undefined;
  let isOpen = false;
  let closed: Promise<void> | undefined;
  let running = 0;
  let allDone: (() => void) | undefined;

  const open = (): Promise<void> => {
    // A failure isn't remembered: a database that was down for a moment is tried again at the next call.
    opened ??= openSchema(engine).then(
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
  const ready = async (operation: string): Promise<void> => {
    if (closed) {
      throw new StoreError({
        operation,
        message: "the store is closed.",
        fix: "Close it after its last use.",
      });
    }
    await open();
  };
  const run = async <T>(operation: string, work: () => Promise<T>): Promise<T> => {
    running++;
    try {
      if (!isOpen || closed) await ready(operation);
      return await work();
    } catch (error) {
      throw storeFailure(operation, error, engine);
    } finally {
      if (--running === 0) allDone?.();
    }
  };

  return {
    engine,
    ...effects,
    ready: () => run("open", async () => {}),
    /** Runs statements that change nothing. They see everything that was acknowledged. */
    read: <T>(operation: string, script: () => Script<T>): Promise<T> =>
      run(operation, () => engine.read(script())),
    /** Runs statements as a transaction. When it resolves, what was written is in the store for good. */
    write: <T>(operation: string, script: () => Script<T>): Promise<T> => run(operation, () => write(script)),
    /** Runs something that is no script. */
    run,
    early,
    /** When it resolves, what was appended is in the store for good. */
    append: (call: AppendCall): Promise<Appended> =>
      run("append", () => (isLong(call.input.messages) ? inSlices(call, append) : append(call))),
    /** Reads data that doesn't change meanwhile. */
    async *snapshot<T>(operation: string, work: (read: ReadScript) => AsyncIterable<T>): AsyncIterable<T> {
      try {
        await ready(operation);
        yield* engine.snapshot(work);
      } catch (error) {
        throw storeFailure(operation, error, engine);
      }
    },
    close(): Promise<void> {
      closed ??= (async () => {
        await opened?.catch(() => {});
        await later.close();
        if (running > 0)
          await new Promise<void>((resolve) => {
            allDone = resolve;
          });
        await engine.close();
      })();
      return closed;
    },
  };
}

/** Messages that one transaction takes, so that nobody waits long for others' appends, */
const SLICE_MESSAGES = 250;
/** and their characters. */
const SLICE_CHARS = 1_000_000;

/** Writes a long append slice by slice. The leaf moves with the last one. */
async function inSlices(
  call: AppendCall,
  append: (call: AppendCall) => Promise<Appended>,
): Promise<Appended> {
  const { input } = call;
  const { messages } = input;
  let [from, added] = [0, 0];
  let target: { readonly conversation?: string; readonly after?: string } = {};
  for (;;) {
    let chars = 0;
    const cut = messages.findIndex(({ wire }, index) => {
      if (index < from) return false;
      chars += wire.length;
      return index > from && (index - from >= SLICE_MESSAGES || chars > SLICE_CHARS);
    });
    const isLast = cut < 0;
    const slice = messages.slice(from, isLast ? undefined : cut);
    // The row of the request goes with the last one.
    const { request: _, ...part } = input;
    const appended = await append({
      ...call,
      input: { ...(isLast ? input : part), ...target, messages: slice },
      ...(!isLast && { keepsLeaf: true }),
    });
    added += appended.added;
    if (isLast) return { ...appended, added };
    target = { conversation: appended.conversation, after: slice.at(-1)!.hash };
    from = cut;
    await new Promise(setImmediate);
  }
}

function isLong(messages: readonly NewMessage[]): boolean {
  if (messages.length > SLICE_MESSAGES) return true;
  let chars = 0;
  for (const { wire } of messages) chars += wire.length;
  return chars > SLICE_CHARS;
}

/** Any error of a database as one that says what to do. */
function storeFailure(operation: string, error: unknown, engine: Pick<SqlEngine, "explain">): PrecisError {
  if (error instanceof PrecisError) return error;
  const explained = engine.explain(error) ?? {
    message: `${error instanceof Error ? error.message : String(error)}.`,
    fix: "See the cause for what the database said.",
  };
  return new StoreError({ operation, ...explained, cause: error });
}

/** So long without an append (milliseconds). */
const IDLE_MS = 1_000;

/**
 * Puts what was appended into the index when nobody has appended for a moment, so that a search finds little left to do.
 * `indexSome` indexes a few messages and says if there may be more.
 */
function indexLater(indexSome: () => Promise<boolean>) {
  let timer: NodeJS.Timeout | undefined;
  let appends = 0;
  let running: Promise<void> | undefined;
  let isClosed = false;

  const run = async (): Promise<void> => {
    const before = appends;
    // A failure isn't lost on anybody: the next search meets it, and can tell it.
    while (!isClosed && appends === before && (await indexSome().catch(() => false)));
  };
  const wait = (): void => {
    if (timer || isClosed) return;
    const before = appends;
    timer = setTimeout(() => {
      timer = undefined;
      if (appends !== before) wait();
      else
        running ??= run().finally(() => {
          running = undefined;
        });
    }, IDLE_MS);
    timer.unref();
  };
  return {
    appended(): void {
      appends++;
      wait();
    },
    /** Waits for what is under way. */
    async close(): Promise<void> {
      isClosed = true;
      clearTimeout(timer);
      await running;
    },
  };
}

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

/** Something to write, and whoever waits for it. */
interface Pending {
  readonly call?: AppendCall;
  readonly script?: () => Script<unknown>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/**
 * Runs transactions, of scripts that are made anew for every try; what resolves is in the store for good.
 * Appends that come in together share a transaction and its statements. Where the database is in this process, there can be only one writer
 * anyway, and other writes share that transaction, too. None is acknowledged before the common commit, and one that fails
 * takes nothing of the others along.
 */
function createWriter(engine: SqlEngine, early: EarlyRecords, now: () => number, appended: () => void) {
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
      await new Promise(setImmediate);
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
      if (batch.some(({ call }) => call)) appended();
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
  const run: RunScript = (script) => (engine.isLocal ? enqueue({ script }) : transact(script));
  return { run, append: (call: AppendCall) => enqueue<Appended>({ call }) };
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
