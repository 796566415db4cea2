import type { CachePlan, Situation, StreamStrategy } from "./strategy.ts";

/** Keeps the cache up to the first input of the user, and its newest tokens. */
export const dropMiddle: StreamStrategy = { name: "drop-middle", asks: false, plan };

function plan({ length, limit, anchor, tail }: Situation): CachePlan {
  if (length <= tail) return { type: "nothing" };
  // Without an anchor, or with one that leaves no room for what comes next: as `drop-all`.
  if (anchor === undefined || anchor + tail >= limit)
    return { type: "restart", head: "plain", keepSeconds: 0, lastUserTurn: true };
  const from = Math.max(anchor, length - tail);
  if (from <= anchor) return { type: "nothing" };
  return {
    type: "keep",
    ranges: [
      { from: 0, to: anchor },
      { from, to: length },
    ],
  };
}
