import type { CacheItem, FramesItem } from "./types.ts";

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
