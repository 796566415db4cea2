import type { LogThread } from "./log-thread.ts";
import { emptyLog, type SqliteSession } from "./sqlite-session.ts";

/**
 * Keeps the log beside the file short: when nobody has written for a moment, it is taken over into the main file, which
 * then is the whole database.
 */
interface LogKeeper {
  wrote(): void;
  /** Empties the log now; while somebody reads it, tries again for a while. */
  empty(): Promise<void>;
  close(): void;
}

/** So long without a write, and the log is emptied (milliseconds). */
const IDLE_MS = 1_000;
/** Every so many writes the log's length is looked at. */
const LOOK_EVERY = 32;
const MB = 1_024 * 1_024;
/** From this length on the thread takes it over while others write: before SQLite would do it within a write, which waits for it. */
const TAKE_OVER_BYTES = 32 * MB;
/** Its file stays then, because to cut a file takes longer than to write over it; when it has grown by this, the log is full again. */
const GROWN_BYTES = 4 * MB;
/** A log that is shorter is emptied by this process itself: to start a thread would take longer. */
const SHORT_BYTES = 4 * MB;
/** A file of this length is cut all the same. */
const CUT_BYTES = 64 * MB;
/** While somebody reads for long, the log grows: it is cut after so many more writes at the earliest. */
const AGAIN_WRITES = 2_000;
/** While somebody reads the log: pause between two tries (milliseconds), and how many there are. */
const PAUSE_MS = 50;
const MAX_TRIES = 20;

export function createLogKeeper({
  thread,
  direct,
  logBytes,
}: {
  readonly thread: Pick<LogThread, "empty" | "takeOver">;
  readonly direct: Pick<SqliteSession, "run">;
  /** How long the log's file is. */
  logBytes(): number;
}): LogKeeper {
  let timer: NodeJS.Timeout | undefined;
  let writes = 0;
  let isTakingOver = false;
  let full = TAKE_OVER_BYTES;
  /** With this write the file is to be cut once more, though it hasn't grown. */
  let again = Number.POSITIVE_INFINITY;
  let isClosed = false;

  const once = async (): Promise<boolean> => {
    const isEmpty = logBytes() <= SHORT_BYTES ? emptyLog(direct) : await thread.empty();
    if (isEmpty) full = TAKE_OVER_BYTES;
    return isEmpty;
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
  const takeOver = async (): Promise<void> => {
    isTakingOver = true;
    try {
      if (!(await thread.takeOver()) || isClosed) return;
      full = logBytes() + GROWN_BYTES;
      again = Number.POSITIVE_INFINITY;
      if (full <= CUT_BYTES || (await once())) return;
      full = logBytes() + TAKE_OVER_BYTES;
      again = writes + AGAIN_WRITES;
    } finally {
      isTakingOver = false;
    }
  };

  return {
    wrote() {
      later();
      if (++writes % LOOK_EVERY !== 0 || isTakingOver) return;
      if (writes >= again || logBytes() >= full) takeOver().catch(() => {});
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
