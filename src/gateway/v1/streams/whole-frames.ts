import type { Run } from "../../../core/types.ts";
import type { CacheEntry, CacheItem, FramesItem } from "../../../stream/types.ts";

/** Hosts cut between turns and between frames, never inside of one. */
export const wholeFrames = {
  /** Of the ranges, what covers whole turns and whole frames. */
  ranges(entries: readonly CacheEntry[], ranges: readonly Run[]): Run[] {
    const kept: Run[] = [];
    let start = 0;
    for (const { item, from, to } of entries) {
      const end = start + to - from;
      for (const range of ranges) {
        const first = Math.max(range.from, start);
        const last = Math.min(range.to, end);
        if (first >= last) continue;
        const inside = within(item, { from: from + first - start, to: from + last - start }, { from, to });
        if (inside) add(kept, { from: start + inside.from - from, to: start + inside.to - from });
      }
      start = end;
    }
    return kept;
  },

  /** Which frames of an item these tokens are; nothing for a turn, which is whole. */
  indexes(item: CacheItem, from: number, to: number): { readonly from?: number; readonly to?: number } {
    if (item.type === "turn") return {};
    const [first, last] = [framesUpTo(item, from), framesUpTo(item, to)];
    return first === 0 && last === item.count ? {} : { from: first, to: last };
  },
};

function add(kept: Run[], run: Run): void {
  const last = kept.at(-1);
  if (last?.to === run.from) kept[kept.length - 1] = { from: last.from, to: run.to };
  else kept.push(run);
}

/** The part of a range that can be kept of an item, or of what is left of it. */
function within(item: CacheItem, range: Run, left: Run): Run | undefined {
  if (item.type === "turn") return range.from === left.from && range.to === left.to ? range : undefined;
  const from = range.from === left.from ? range.from : endOf(item, framesUpTo(item, range.from, "up"));
  const to = endOf(item, framesUpTo(item, range.to));
  return from < to ? { from, to } : undefined;
}

/** Tokens up to the end of so many frames. */
function endOf({ tokensPerFrame, separator, joined }: FramesItem, frames: number): number {
  if (frames === 0) return 0;
  return frames * tokensPerFrame + (joined ? frames : frames - 1) * separator;
}

/** How many frames end within so many tokens. */
function framesUpTo(item: FramesItem, tokens: number, rounding: "down" | "up" = "down"): number {
  const { tokensPerFrame, separator, joined, count } = item;
  const one = Math.max(1, tokensPerFrame + separator);
  const exact = (tokens + (joined ? 0 : separator)) / one;
  return Math.min(count, tokens <= 0 ? 0 : rounding === "up" ? Math.ceil(exact) : Math.floor(exact));
}
