import { type MessagePort, parentPort, Worker, workerData } from "node:worker_threads";
import { createSession, emptyLog, openDatabase, takeOverLog } from "./sqlite-session.ts";

/**
 * A thread that takes SQLite's log over into the main file. To take over tens of megabytes takes a tenth of a second, and
 * whoever did it within a write would hold up every request for as long.
 */
export interface LogThread {
  /** While others write. The log's file stays as long as it is, and is written from its beginning again. */
  takeOver(): Promise<boolean>;
  /** The log's file is empty then. False if somebody still reads the log. */
  empty(): Promise<boolean>;
  close(): Promise<void>;
}

type Job = "take-over" | "empty";

/** The built package has no `.ts`. */
const FILE = import.meta.url.endsWith(".ts") ? "./log-thread.ts" : "./log-thread.js";

/** It starts with its first job. */
export function createLogThread(path: string): LogThread {
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
    takeOver: () => ask("take-over"),
    empty: () => ask("empty"),
    async close() {
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
        // The second time it is what was written during the first.
        takeOverLog(session);
        takeOverLog(session);
        port.postMessage(true);
      }
    } catch {
      // On a full disk nothing can be taken over, and the thread is needed again when there is room.
      port.postMessage(false);
    }
  });
}
