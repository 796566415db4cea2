import { parentPort, workerData } from "node:worker_threads";
import type { Appended } from "../server-store.ts";
import { append } from "../sql/append.ts";
import { runNow } from "../sql/script.ts";
import type { AppendCall } from "../sql/sql-engine.ts";
import { BEGIN_WRITE, COMMIT, createSession, openDatabase, type SqliteSession } from "./sqlite-session.ts";

/** The thread that writes what many requests append at once. It answers each batch with its results, in order. */

export interface ThreadData {
  readonly path: string;
  readonly durability: "process" | "power";
}

/** What a batch came to; undefined if nothing of it was written. */
export type ThreadAnswer = readonly Appended[] | undefined;

/** Here nobody else is held up while another process writes (milliseconds). */
const BUSY_MS = 2_000;

const port = parentPort;
if (port) {
  const { path, durability } = workerData as ThreadData;
  const session = createSession(await openDatabase(path, { durability, busyMs: BUSY_MS }));
  port.on("message", (batch: readonly AppendCall[] | "close") => {
    if (batch === "close") {
      session.close();
      port.close();
    } else port.postMessage(write(session, batch));
  });
}

/** All or nothing; whatever is wrong with a batch, its sender finds out by writing it itself. */
function write(session: SqliteSession, batch: readonly AppendCall[]): ThreadAnswer {
  try {
    session.run(BEGIN_WRITE);
    try {
      const results = batch.map(({ tenant, input, id }) =>
        runNow(append({ engine: {}, newId: () => id }, tenant, input), (one) => session.run(one).rows),
      );
      session.run(COMMIT);
      return results;
    } catch {
      session.rollback();
      return undefined;
    }
  } catch {
    return undefined;
  }
}
