import type { Citation } from "../server-store.ts";

/** The number of a new source: the one that it goes by, if that is free, else the next one above all. */
export function citationNumber(known: Iterable<Citation>, wanted: number | undefined): number {
  const taken = new Set(Array.from(known, ({ number }) => number));
  if (wanted !== undefined && Number.isSafeInteger(wanted) && wanted > 0 && !taken.has(wanted)) return wanted;
  let last = 0;
  for (const number of taken) last = Math.max(last, number);
  return last + 1;
}
