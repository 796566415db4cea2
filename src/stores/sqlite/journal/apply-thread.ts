import { parentPort, workerData } from "node:worker_threads";
import { runNow } from "../../sql/script.ts";
import { BEGIN_WRITE, COMMIT, createSession, openDatabase, whenFree } from "../sqlite-session.ts";
import { type Applied, applyJournals } from "./apply-journals.ts";

/** The thread that takes journals over into the tables, so that requests don't wait for it. */

export interface ThreadData {
  readonly path: string;
  readonly folder: string;
}

/** Undefined if nothing was applied: whatever is wrong, the other side finds out by doing it itself. */
export type ThreadAnswer = Applied | undefined;

/** Here nobody else is held up while another process writes (milliseconds). */
const BUSY_MS = 2_000;
/** Thousands of messages at once change most pages of the indexes by hash: one that doesn't stay is written twice. */
const CACHE_KB = 65_536;

const port = parentPort;
if (port) {
  const { path, folder } = workerData as ThreadData;
  const database = await openDatabase(path, { durability: "process", busyMs: BUSY_MS, cacheKb: CACHE_KB });
  // What a record names is written before it, in the same transaction; to look it up again would be a tenth of the work.
  database.exec("pragma foreign_keys = off");
  const session = createSession(database);
  const apply = async (): Promise<ThreadAnswer> => {
    await whenFree(() => session.run(BEGIN_WRITE));
    try {
      const applied = runNow(applyJournals(folder), (one) => session.run(one).rows);
      session.run(COMMIT);
      return applied;
    } catch {
      session.rollback();
      return undefined;
    }
  };
  port.on("message", async (word: "apply" | "close") => {
    if (word === "apply") port.postMessage(await apply().catch(() => undefined));
    else {
      session.close();
      port.close();
    }
  });
}
