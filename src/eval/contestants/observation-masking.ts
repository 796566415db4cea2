import type { Contestant } from "../types.ts";
import { costOf, itemsOf, joined, suffixStart } from "./packing.ts";

/** Newest tool results that stay as they are. */
const RESULTS_KEPT = 10;
const MASK = "[result left out]";

/** Older tool results become a placeholder; of what is left, the newest messages that fit. */
export const observationMasking: Contestant = {
  id: "masking",
  label: "observation masking (last 10)",
  view(input) {
    const items = itemsOf(input);
    const results = items.filter((item) => item.role === "tool");
    const firstKept = results.at(-RESULTS_KEPT)?.index ?? input.from;
    const masked = items.map((item) =>
      item.role === "tool" && item.index < firstKept
        ? { ...item, text: MASK, cost: costOf(MASK, input.count) }
        : item,
    );
    return joined(masked.slice(suffixStart(masked, input.budget)));
  },
};
