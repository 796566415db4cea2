const TRIALS = 3;
const TIMES_LARGER = 8;
/** Shorter work is mostly noise, so it counts as this much (microseconds). */
const LEAST = 5_000;

/** What a function costs this thread (microseconds). Other programs and other threads have no part in it. */
export function cpuOf(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return user + system;
}

function leastCost(work: () => unknown): number {
  return Math.max(LEAST, Math.min(...Array.from({ length: TRIALS }, () => cpuOf(work))));
}

/**
 * How often the cost of `work(size)` is contained in that of eight times the size: 8 where it is linear, 64 where it is
 * quadratic. Both are measured on the same machine at the same moment, so a slow one gives the same answer.
 */
export function growth(work: (size: number) => unknown, size: number): number {
  work(size);
  const small = leastCost(() => work(size));
  return leastCost(() => work(size * TIMES_LARGER)) / small;
}

/** The growth that a linear function doesn't reach and a quadratic one passes. */
export const LINEAR = 24;
