import type { Run } from "../core/types.ts";
import type { CacheEntry, CacheItem } from "./types.ts";

/** What is in a cache, item by item. */
export interface Ledger {
  readonly length: number;
  readonly last: CacheItem | undefined;
  entries(): readonly CacheEntry[];
  add(item: CacheItem, tokens: number): void;
  keep(ranges: readonly Run[]): void;
  clear(): void;
  set(entries: readonly CacheEntry[]): void;
}

export function createLedger(): Ledger {
  let entries: CacheEntry[] = [];
  let length = 0;
  const set = (next: readonly CacheEntry[]): void => {
    entries = [...next];
    length = entries.reduce((sum, entry) => sum + entry.to - entry.from, 0);
  };
  return {
    get length() {
      return length;
    },
    get last() {
      return entries.at(-1)?.item;
    },
    entries: () => entries,
    add(item, tokens) {
      entries.push({ item, from: 0, to: tokens });
      length += tokens;
    },
    keep: (ranges) => set(keepRanges(entries, ranges)),
    clear: () => set([]),
    set,
  };
}

/** The entries inside the ranges; one that lies across a border is cut. */
function keepRanges(entries: readonly CacheEntry[], ranges: readonly Run[]): CacheEntry[] {
  const kept: CacheEntry[] = [];
  for (const range of ranges) {
    let start = 0;
    for (const { item, from, to } of entries) {
      const end = start + to - from;
      const first = Math.max(start, range.from);
      const last = Math.min(end, range.to);
      if (first < last) kept.push({ item, from: from + first - start, to: from + last - start });
      start = end;
    }
  }
  return kept;
}

/** The ranges of the entries that are to stay, neighbours as one. */
export function rangesOf(
  entries: readonly CacheEntry[],
  stays: (range: Run, entry: CacheEntry, at: number) => boolean,
): Run[] {
  const ranges: Run[] = [];
  let from = 0;
  for (const [at, entry] of entries.entries()) {
    const to = from + entry.to - entry.from;
    if (stays({ from, to }, entry, at)) {
      const last = ranges.at(-1);
      if (last?.to === from) ranges[ranges.length - 1] = { from: last.from, to };
      else ranges.push({ from, to });
    }
    from = to;
  }
  return ranges;
}
