import type { Contestant } from "../types.ts";
import { itemsOf, joined, newestThatFit, suffixStart } from "./packing.ts";

/** Share of the budget for the newest messages as they are. */
const TAIL_SHARE = 0.5;

/** Half for the newest messages; the rest for older ones, newest first, leaving tool results out. */
export const withoutResults: Contestant = {
  id: "without-results",
  label: "tail 50 + rest without results 50",
  view(input) {
    const items = itemsOf(input);
    const start = suffixStart(items, input.budget * TAIL_SHARE);
    const tail = items.slice(start);
    const left = input.budget - tail.reduce((sum, item) => sum + item.cost, 0);
    const older = items.slice(0, start).filter((item) => item.role !== "tool");
    return joined([...newestThatFit(older, left), ...tail]);
  },
};
