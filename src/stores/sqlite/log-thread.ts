import { type MessagePort, parentPort, Worker, workerData } from "node:worker_threads";
import { createSession, emptyLog, openDatabase, type SqliteSession, takeOverLog } from "./sqlite-session.ts";

type Job = "take-over" | "empty";

/** The built package has no `.ts`. */
const FILE = import.meta.url.endsWith(".ts") ? "./log-thread.ts" : "./log-thread.js";

/**
 * A thread that takes SQLite's log over into the main file. To take over tens of megabytes takes a tenth of a second, and
 * whoever did it within a write would hold up every request for as long. It starts with its first job.
 */
export function createLogThread(path: string) {
  let worker: Worker | undefined;
  let jobs: Promise<boolean> = Promise.resolve(true);
  const start = (): Worker => {
    const made = new Worker(new URL(FILE, import.meta.url), { workerData: { logOf: path }, execArgv: [] });
    // A thread without work must not keep a process alive that has nothing else to do.
    made.unref();
    const gone = () => {
      if (worker === made) worker = undefined;
    };
    made.on("error", gone);
    made.on("exit", gone);
    return made;
  };
  const ask = (job: Job): Promise<boolean> => {
    jobs = jobs.then(
      () =>
        new Promise<boolean>((resolve) => {
          worker ??= start();
          const asked = worker;
          const settle = (done: unknown): void => {
            asked.off("message", settle);
            asked.off("exit", settle);
            asked.unref();
            resolve(done === true);
          };
          asked.on("message", settle);
          asked.on("exit", settle);
          asked.ref();
          asked.postMessage(job);
        }),
    );
    return jobs;
  };
  return {
    /** While others write. The log's file stays as long as it is: to cut it takes longer than to write it from its beginning again. */
    takeOver: () => ask("take-over"),
    /** The log's file is empty then. False if somebody still reads the log. */
    empty: () => ask("empty"),
    async close(): Promise<void> {
      await jobs;
      await worker?.terminate();
    },
  };
}

const of = (workerData as { readonly logOf?: string } | null)?.logOf;
if (parentPort && of !== undefined) void serve(parentPort, of);

/** Not at the top level: who imports this file must not have to wait for it. */
async function serve(port: MessagePort, path: string): Promise<void> {
  const opened = openDatabase(path, { durability: "process" }).then(createSession);
  port.on("message", async (job: Job) => {
    try {
      const session = await opened;
      if (job === "empty") port.postMessage(emptyLog(session));
      else {
        takeOverLog(session);
        port.postMessage(true);
      }
    } catch {
      // On a full disk nothing can be taken over, and the thread is needed again when there is room.
      port.postMessage(false);
    }
  });
}

/** So long without a write, and the log is emptied (milliseconds). */
const IDLE_MS = 1_000;
const MB = 1_024 * 1_024;
/** Once the log's file is this long, the thread takes over what is new in it, */
const LONG_BYTES = 32 * MB;
/** every so many writes: when SQLite begins the file anew, within a write, nearly all of it is taken over already. */
const TAKE_OVER_EVERY = 128;
/** A log that is shorter is emptied by this process itself: to start a thread would take longer. */
const SHORT_BYTES = 4 * MB;
/** While somebody reads the log: pause between two tries (milliseconds), and how many there are. */
const PAUSE_MS = 50;
const MAX_TRIES = 20;

/**
 * Keeps the log beside the file short: when nobody has written for a moment, it is taken over into the main file, which
 * then is the whole database.
 */
export function createLogKeeper({
  thread,
  direct,
  logBytes,
}: {
  readonly thread: Pick<ReturnType<typeof createLogThread>, "empty" | "takeOver">;
  readonly direct: Pick<SqliteSession, "run">;
  /** How long the log's file is. */
  logBytes(): number;
}) {
  let timer: NodeJS.Timeout | undefined;
  let writes = 0;
  let isTakingOver = false;
  let isClosed = false;

  const once = async (): Promise<boolean> =>
    logBytes() <= SHORT_BYTES ? emptyLog(direct) : await thread.empty();
  const later = (): void => {
    if (timer || isClosed) return;
    const before = writes;
    timer = setTimeout(() => {
      timer = undefined;
      if (writes !== before) later();
      // If somebody reads it just now, the next write is followed by another try.
      else once().catch(() => {});
    }, IDLE_MS);
    // A log that stays is whole, too: nothing is lost by ending now.
    timer.unref();
  };

  return {
    wrote(): void {
      later();
      if (++writes % TAKE_OVER_EVERY !== 0 || isTakingOver || logBytes() < LONG_BYTES) return;
      isTakingOver = true;
      void thread.takeOver().finally(() => {
        isTakingOver = false;
      });
    },
    /** Empties the log now; while somebody reads it, tries again for a while. */
    async empty(): Promise<void> {
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        if (await once()) return;
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
    },
    close(): void {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
