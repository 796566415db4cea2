import type { DirectDatabase } from "../sql/sql-engine.ts";
import { emptyLog } from "./sqlite-session.ts";
import type { Writer } from "./start-writer.ts";
import type { Turns } from "./turns.ts";

/**
 * Keeps the log beside the file short: when nobody has written for a moment, it is taken over into the main file, which
 * then is the whole database.
 */
interface LogKeeper {
  /** `here`: by this process's own connection, not by the thread. */
  wrote(here: boolean): void;
  /** Empties the log now; while somebody reads it, tries again for a while. */
  empty(): Promise<void>;
  close(): void;
}

/** So long without a write, and the log is emptied (milliseconds). */
const IDLE_MS = 1_000;
/**
 * After so many writes of this process's own connection the thread empties the log: before it is so long that SQLite would do it
 * within a write, and hold up the process.
 */
const WRITES_HERE = 500;
/** While somebody reads the log: pause between two tries (milliseconds), and how many there are. */
const PAUSE_MS = 50;
const MAX_TRIES = 20;

export function createLogKeeper({
  turns,
  writer,
  direct,
}: {
  readonly turns: Turns;
  readonly writer: Pick<Writer, "emptyLog" | "hasThread">;
  readonly direct: Pick<DirectDatabase, "run">;
}): LogKeeper {
  let timer: NodeJS.Timeout | undefined;
  let writes = 0;
  let writesHere = 0;
  let isClosed = false;

  const once = async (): Promise<boolean> => {
    await turns.take();
    writesHere = 0;
    try {
      return await (writer.emptyLog() ?? emptyLog(direct));
    } finally {
      turns.give();
    }
  };
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
    wrote(here) {
      writes++;
      later();
      if (here && ++writesHere === WRITES_HERE && writer.hasThread) once().catch(() => {});
    },
    async empty() {
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        if (await once()) return;
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
