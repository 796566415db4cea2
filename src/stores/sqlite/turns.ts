/**
 * Who writes: this connection or the thread. SQLite has one writer at a time anyway, and whoever waits for it there
 * holds up the whole process.
 */
export interface Turns {
  /** Undefined if the turn is free; otherwise it comes when all who asked before have given it back. */
  take(): Promise<void> | undefined;
  give(): void;
}

export function createTurns(): Turns {
  const waiting: (() => void)[] = [];
  let isTaken = false;
  return {
    take() {
      if (isTaken) return new Promise((resolve) => waiting.push(resolve));
      isTaken = true;
      return undefined;
    },
    give() {
      const next = waiting.shift();
      if (next) next();
      else isTaken = false;
    },
  };
}
