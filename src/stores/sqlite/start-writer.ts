import { Worker } from "node:worker_threads";
import type { Appended } from "../server-store.ts";
import type { AppendCall } from "../shared/plan-append.ts";
import { moreToCome } from "../sql/more-to-come.ts";
import type { Turns } from "./turns.ts";
import type { WriteThreadAnswer, WriteThreadData, WriteThreadJob } from "./write-thread.ts";

/** The thread that writes appends: those that come while it writes are its next transaction. */
export interface Writer {
  /**
   * Undefined if nothing of it was written: the thread isn't there (yet), the append can't be, or it is short and comes alone.
   */
  append(call: AppendCall): Promise<Appended | undefined>;
  /**
   * Takes the log over into the main file, while this process writes appends itself. The log's file stays as long as it is, and is
   * written from its beginning again. False if there is no thread.
   */
  takeOverLog(): Promise<boolean>;
  /** The same, and the log's file is empty then. Undefined if there is no thread; false if somebody still reads the log. */
  emptyLog(): Promise<boolean> | undefined;
  close(): Promise<void>;
}

/** Appends that one transaction takes at most, so that none waits long, */
const MAX_CALLS = 256;
/** and their characters. One that has more is taken alone. */
const MAX_CHARS = 4_000_000;
/** The thread starts with so many appends: a command that makes a few is done before it would have started. */
const START_WITH = 16;
/** An append with more messages than this, */
const LONG_MESSAGES = 250;
/** or with more characters, holds up whoever writes it: it starts the thread and waits for it. */
const LONG_CHARS = 1_000_000;
/** One with more messages than this, */
const SHORT_MESSAGES = 16;
/** or with more characters, is left to the thread even if it comes alone. */
const SHORT_CHARS = 65_536;
/** After so many transactions of one append each they are taken for alone again. */
const CALM = 32;
/** What an append leaves is garbage after it; with more room for that the process takes 100 MB more, and is no faster. */
const YOUNG_MB = 16;

interface Pending {
  readonly call: AppendCall;
  resolve(appended: Appended | undefined): void;
}

export function startWriter(data: WriteThreadData, turns: Turns): Writer {
  let state: "new" | "starting" | "ready" | "gone" = "new";
  let worker: Worker | undefined;
  let answered: ((answer: WriteThreadAnswer) => void) | undefined;
  let appends = 0;
  let queue: Pending[] = [];
  let isFlushing = false;
  /** Ends when the thread has taken over the log, which it does beside whoever has the turn. */
  let takingOver: Promise<unknown> | undefined;
  /** Transactions until appends are taken for alone again. */
  let crowd = 0;
  let cameInThisTurn = false;

  const settle = (answer: WriteThreadAnswer): void => {
    worker?.unref();
    const waiting = answered;
    answered = undefined;
    waiting?.(answer);
  };
  const gone = (): void => {
    state = "gone";
    settle(undefined);
    flushWaiting();
  };
  const start = (): void => {
    state = "starting";
    worker = new Worker(new URL(FILE, import.meta.url), {
      workerData: data,
      execArgv: [],
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
    });
    // A thread without work must not keep a process alive that has nothing else to do.
    worker.unref();
    worker.on("online", () => {
      if (state === "starting") state = "ready";
      flushWaiting();
    });
    worker.on("message", settle);
    worker.on("error", gone);
    worker.on("exit", gone);
  };
  /** One job at a time: who asks has the turn. */
  const ask = (job: WriteThreadJob): Promise<WriteThreadAnswer> => {
    if (state !== "ready" || !worker) return Promise.resolve(undefined);
    worker.ref();
    worker.postMessage(job);
    return new Promise((resolve) => {
      answered = resolve;
    });
  };

  const flush = async (): Promise<void> => {
    isFlushing = true;
    while (queue.length > 0) {
      await turns.take();
      if (takingOver) {
        turns.give();
        leaveShortOnes();
        await takingOver;
        continue;
      }
      await moreToCome(() => queue.length, MAX_CALLS);
      const batch = take();
      crowd = batch.length > 1 ? CALM : Math.max(0, crowd - 1);
      const answer = await ask(batch.map(({ call }) => call)).finally(turns.give);
      const outcomes = Array.isArray(answer) ? (answer as readonly (Appended | undefined)[]) : [];
      batch.forEach(({ resolve }, index) => {
        resolve(outcomes[index]);
      });
    }
    isFlushing = false;
  };
  const flushWaiting = (): void => {
    if (queue.length > 0 && !isFlushing) void flush();
  };
  /** What has come before the first long one is left to this process. */
  const leaveShortOnes = (): void => {
    while (queue.length > 0 && !isLong(queue[0]!.call)) queue.shift()!.resolve(undefined);
  };
  /** Nothing else comes at the same time: a way to the thread and back takes longer than to write it here. */
  const isAlone = (call: AppendCall): boolean => {
    if (cameInThisTurn) crowd = CALM;
    else {
      cameInThisTurn = true;
      setImmediate(() => {
        cameInThisTurn = false;
      });
    }
    const { messages } = call.input;
    return crowd === 0 && !isFlushing && messages.length <= SHORT_MESSAGES && charsIn(call) <= SHORT_CHARS;
  };
  const take = (): readonly Pending[] => {
    let chars = 0;
    const end = queue.findIndex(({ call }, index) => {
      chars += charsIn(call);
      return index === MAX_CALLS || (index > 0 && chars > MAX_CHARS);
    });
    const batch = end === -1 ? queue : queue.slice(0, end);
    queue = end === -1 ? [] : queue.slice(end);
    return batch;
  };

  return {
    append(call) {
      const waitsForThread = isLong(call) || queue.length > 0;
      if (state === "new" && (++appends === START_WITH || isLong(call))) start();
      // What comes behind one that waits for the thread may go on from it.
      const waits = state === "starting" && waitsForThread;
      const here = state !== "ready" || (takingOver ? !waitsForThread : isAlone(call));
      if (!waits && here) return Promise.resolve(undefined);
      return new Promise((resolve) => {
        queue.push({ call, resolve });
        if (waits) worker?.ref();
        else if (!isFlushing) void flush();
      });
    },
    async takeOverLog() {
      if (state !== "ready") return false;
      // With the turn nothing of the thread's own is under way.
      await turns.take();
      takingOver = ask("take-over-log").finally(() => {
        takingOver = undefined;
      });
      turns.give();
      await takingOver;
      // What was written meanwhile is little. When nothing is left, SQLite begins the log anew.
      await turns.take();
      return (await ask("take-over-log").finally(turns.give)) === true;
    },
    emptyLog: () =>
      state === "ready"
        ? Promise.resolve(takingOver)
            .then(() => ask("empty-log"))
            .then((answer) => answer === true)
        : undefined,
    async close() {
      if (!worker || state === "gone") return;
      if (state === "starting") {
        await worker.terminate();
        return;
      }
      const exited = new Promise((resolve) => worker?.once("exit", resolve));
      worker.postMessage("close" satisfies WriteThreadJob);
      worker.ref();
      await exited;
    },
  };
}

function isLong(call: AppendCall): boolean {
  return call.input.messages.length > LONG_MESSAGES || charsIn(call) > LONG_CHARS;
}

function charsIn({ input }: AppendCall): number {
  return input.messages.reduce((sum, { wire }) => sum + wire.length, 0);
}

/** The built package has no `.ts`. */
const FILE = import.meta.url.endsWith(".ts") ? "./write-thread.ts" : "./write-thread.js";
