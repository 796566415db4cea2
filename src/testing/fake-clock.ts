/** A clock that moves only when it is told to. Hand `now()` to `fit({ now })`. */
export interface FakeClock {
  now(): number;
  /** Moves the clock on and returns the new time. */
  advance(ms: number): number;
}

/** Starts at a round number of milliseconds, so that differences are easy to read in a failing test. */
export function createFakeClock(start = 1_700_000_000_000): FakeClock {
  let time = start;
  return {
    now: () => time,
    advance(ms) {
      time += ms;
      return time;
    },
  };
}
