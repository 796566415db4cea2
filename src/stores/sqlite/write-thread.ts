import { parentPort, workerData } from "node:worker_threads";
import type { Appended } from "../server-store.ts";
import type { AppendCall } from "../shared/plan-append.ts";
import { appendAll } from "../sql/append.ts";
import { runNow } from "../sql/script.ts";
import type { Durability } from "./durability.ts";
import {
  BEGIN_WRITE,
  COMMIT,
  createSession,
  emptyLog,
  openDatabase,
  takeOverLog,
  whenFree,
} from "./sqlite-session.ts";
import { sqliteTextIndex } from "./text-index.ts";

/** The thread that writes appends, so that no request waits for those of others, or for the log to be taken over. */

export interface WriteThreadData {
  readonly path: string;
  readonly durability: Durability;
}

/** What it is asked: to append, to take over the log, to empty it, or to end. */
export type WriteThreadJob = readonly AppendCall[] | "take-over-log" | "empty-log" | "close";

/**
 * The outcomes of appends, undefined for one that can't be appended. Undefined in place of them if nothing was written:
 * whatever is wrong, the other side finds out by doing it itself. True if the log was taken over, or is empty.
 */
export type WriteThreadAnswer = readonly (Appended | undefined)[] | boolean | undefined;

/** Here nobody else is held up while another process writes (milliseconds). */
const BUSY_MS = 2_000;
/** Many messages at once change pages all over the indexes by hash: one that doesn't stay in memory is read again. */
const CACHE_KB = 65_536;

const port = parentPort;
if (port) {
  const { path, durability } = workerData as WriteThreadData;
  const database = await openDatabase(path, { durability, busyMs: BUSY_MS, cacheKb: CACHE_KB });
  // What a row names is written before it, in the same transaction; to look it up again would be a tenth of the work.
  database.exec("pragma foreign_keys = off");
  const session = createSession(database);

  const append = async (calls: readonly AppendCall[]): Promise<WriteThreadAnswer> => {
    await whenFree(() => session.run(BEGIN_WRITE));
    try {
      const outcomes = runNow(appendAll({ textIndex: sqliteTextIndex }, calls), session.run);
      session.run(COMMIT);
      return outcomes;
    } catch {
      session.rollback();
      return undefined;
    }
  };

  /** The second time it is what was written during the first. */
  const takeOver = (): boolean => {
    takeOverLog(session);
    takeOverLog(session);
    return true;
  };

  const answerTo = async (job: Exclude<WriteThreadJob, "close">): Promise<WriteThreadAnswer> => {
    if (job === "empty-log") return emptyLog(session);
    return job === "take-over-log" ? takeOver() : append(job);
  };

  port.on("message", async (job: WriteThreadJob) => {
    if (job === "close") {
      session.close();
      port.close();
    }
    // On a full disk nothing can be taken over, and the thread is needed again when there is room.
    else port.postMessage(await answerTo(job).catch(() => undefined));
  });
}
