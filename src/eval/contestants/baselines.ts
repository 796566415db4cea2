import type { Contestant } from "../types.ts";
import { costOf, itemsOf, joined, newestThatFit, suffixStart } from "./packing.ts";

/** Share of the budget for the first messages in `middleOut`, and for the newest ones in `withoutResults`. */
const HALF = 0.5;
/** Newest tool results that stay as they are in `observationMasking`. */
const RESULTS_KEPT = 10;
const MASK = "[result left out]";

/** The newest messages that fit. */
export const keepLast: Contestant = {
  id: "keep-last",
  label: "keep last",
  view(input) {
    const items = itemsOf(input);
    return joined(items.slice(suffixStart(items, input.budget)));
  },
};

/** Half for the newest messages; the rest for older ones, newest first, leaving tool results out. */
export const withoutResults: Contestant = {
  id: "without-results",
  label: "tail 50 + rest without results 50",
  view(input) {
    const items = itemsOf(input);
    const start = suffixStart(items, input.budget * HALF);
    const tail = items.slice(start);
    const left = input.budget - tail.reduce((sum, item) => sum + item.cost, 0);
    const older = items.slice(0, start).filter((item) => item.role !== "tool");
    return joined([...newestThatFit(older, left), ...tail]);
  },
};

/** The first messages that fit half of the budget and the newest that fit the rest: what is left out is the middle. */
export const middleOut: Contestant = {
  id: "middle-out",
  label: "middle-out",
  view(input) {
    const items = itemsOf(input);
    let used = 0;
    let end = 0;
    while (end < items.length && used + items[end]!.cost <= input.budget * HALF) used += items[end++]!.cost;
    const rest = items.slice(end);
    return joined([...items.slice(0, end), ...rest.slice(suffixStart(rest, input.budget - used))]);
  },
};

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

/** What people do without precis: every one of them needs no model and no network. */
export const baselines: readonly Contestant[] = [keepLast, withoutResults, middleOut, observationMasking];
