import type { RequestSums } from "../server-store.ts";

/** Where the first class of times ends (milliseconds), and by how much each is wider than the one before. Each class costs sums of a million requests 2 ms. */
const FIRST_MS = 100;
const GROWTH = 1.3;
const CLASSES = 35;

/**
 * Requests are counted by how long they took, in classes that end below these milliseconds (up to ten minutes, then all others).
 * Counts can be added up over hours and models, which percentiles can't.
 */
export const LATENCY_BOUNDS: readonly number[] = Array.from({ length: CLASSES }, (_, n) =>
  n === CLASSES - 1 ? Number.POSITIVE_INFINITY : Math.round(FIRST_MS * GROWTH ** n),
);

/** The time (milliseconds) within which a share of requests ended; 0 if there were none. */
export function percentileOf(
  sums: readonly Pick<RequestSums, "latency" | "leastMs" | "mostMs">[],
  share: number,
): number {
  const least = Math.min(...sums.map(({ leastMs }) => leastMs));
  const most = Math.max(...sums.map(({ mostMs }) => mostMs));
  const counts = LATENCY_BOUNDS.map((_, n) => sums.reduce((all, { latency }) => all + latency[n]!, 0));
  let left = share * counts.reduce((all, one) => all + one, 0);
  for (const [n, count] of counts.entries()) {
    if (left > count || count === 0) {
      left -= count;
      continue;
    }
    const from = Math.max(least, LATENCY_BOUNDS[n - 1] ?? 0);
    return from + (Math.min(most, LATENCY_BOUNDS[n]!) - from) * (left / count);
  }
  return 0;
}
