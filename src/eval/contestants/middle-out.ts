import type { Contestant } from "../types.ts";
import { itemsOf, joined, suffixStart } from "./packing.ts";

const HEAD_SHARE = 0.5;

/** The first messages that fit half of the budget and the newest that fit the rest: what is left out is the middle. */
export const middleOut: Contestant = {
  id: "middle-out",
  label: "middle-out",
  view(input) {
    const items = itemsOf(input);
    let used = 0;
    let end = 0;
    while (end < items.length && used + items[end]!.cost <= input.budget * HEAD_SHARE)
      used += items[end++]!.cost;
    const rest = items.slice(end);
    return joined([...items.slice(0, end), ...rest.slice(suffixStart(rest, input.budget - used))]);
  },
};
