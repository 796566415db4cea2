/** Puts what was appended into the index when nobody has appended for a moment, so that a search finds little left to do. */
interface LaterIndexing {
  appended(): void;
  /** Waits for what is under way. */
  close(): Promise<void>;
}

/** So long without an append (milliseconds). */
const IDLE_MS = 1_000;

/** `indexSome` indexes a few messages and says how many. */
export function indexLater(indexSome: () => Promise<number>): LaterIndexing {
  let timer: NodeJS.Timeout | undefined;
  let appends = 0;
  let running: Promise<void> | undefined;
  let isClosed = false;

  const run = async (): Promise<void> => {
    const before = appends;
    // A failure isn't lost on anybody: the next search meets it, and can tell it.
    while (!isClosed && appends === before && (await indexSome().catch(() => 0)) > 0);
  };
  return {
    appended() {
      appends++;
      if (isClosed) return;
      if (timer) timer.refresh();
      else {
        timer = setTimeout(() => {
          running ??= run().finally(() => {
            running = undefined;
          });
        }, IDLE_MS);
        timer.unref();
      }
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await running;
    },
  };
}
