import type { Contestant } from "../types.ts";
import { itemsOf, joined, suffixStart } from "./packing.ts";

/** The newest messages that fit. */
export const keepLast: Contestant = {
  id: "keep-last",
  label: "keep last",
  view(input) {
    const items = itemsOf(input);
    return joined(items.slice(suffixStart(items, input.budget)));
  },
};
