import type { Run } from "../core/types.ts";
import type { CacheEntry, CacheItem, FramesItem } from "./types.ts";

/** Tokens of a turn beside its text, as in ChatML. */
export const TURN_TOKENS = 5;

/** Tokens of a run of frames: frames × tokens per frame plus the separators between them. */
export function frameTokens({ count, tokensPerFrame, separator, joined }: FramesItem): number {
  return count * tokensPerFrame + (joined ? count : Math.max(0, count - 1)) * separator;
}

/** The first `count` frames and the rest. */
export function splitFrames(item: FramesItem, count: number): readonly [FramesItem, FramesItem] {
  return [sliceFrames(item, 0, count), sliceFrames(item, count, item.count)];
}

/** Frames `from` to `to` of a run. */
export function sliceFrames(item: FramesItem, from: number, to: number): FramesItem {
  const spacing = item.count > 1 ? (item.until - item.at) / (item.count - 1) : 0;
  const { images, ...rest } = item;
  return {
    ...rest,
    count: to - from,
    joined: from > 0 || item.joined,
    at: item.at + from * spacing,
    until: item.at + Math.max(from, to - 1) * spacing,
    ...(images === undefined ? {} : { images: images.slice(from, to) }),
  };
}

/** The same items with `joined` as it is true in this order, behind `before`. */
export function joinFrames(items: readonly CacheItem[], before: CacheItem | undefined): CacheItem[] {
  let previous = before;
  return items.map((item) => {
    const joined = previous?.type === "frames";
    previous = item;
    return item.type === "frames" && item.joined !== joined ? { ...item, joined } : item;
  });
}

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

/** Adds a range behind others; neighbours become one. */
export function addRun(runs: Run[], run: Run): void {
  const last = runs.at(-1);
  if (last?.to === run.from) runs[runs.length - 1] = { from: last.from, to: run.to };
  else runs.push(run);
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
    if (stays({ from, to }, entry, at)) addRun(ranges, { from, to });
    from = to;
  }
  return ranges;
}
