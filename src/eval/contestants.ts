import { openaiChat } from "../apis/chat/index.ts";
import type { Profile, TokenCounter } from "../core/types.ts";
import { createCompactor } from "../engine/create-compactor.ts";
import { MESSAGE_OVERHEAD, messagesText, messageText } from "./message-text.ts";
import type { Contestant, ContestInput, Count } from "./types.ts";

/** A message as a contestant packs it: its text and what it costs. */
export interface Item {
  readonly index: number;
  readonly role: string;
  readonly text: string;
  readonly cost: number;
}

export function costOf(text: string, count: Count): number {
  return Math.max(1, count(text)) + MESSAGE_OVERHEAD;
}

/** The messages that may be used, each with its cost. */
export function itemsOf({ messages, from, to, count }: ContestInput): Item[] {
  return messages.slice(from, to).map((message, offset) => {
    const text = messageText(message);
    return { index: from + offset, role: message.role, text, cost: costOf(text, count) };
  });
}

/** Where the longest run at the end starts whose cost is within the budget. */
export function suffixStart(items: readonly Item[], budget: number): number {
  let left = budget;
  let start = items.length;
  while (start > 0 && items[start - 1]!.cost <= left) {
    start--;
    left -= items[start]!.cost;
  }
  return start;
}

function joined(items: readonly Item[]): string {
  return items.map((item) => item.text).join("\n");
}

/** The newest items that fit, passing over those that are too large for what is left; in their own order. */
function newestThatFit(items: readonly Item[], budget: number): Item[] {
  let left = budget;
  const taken = items.toReversed().filter((item) => {
    if (item.cost > left) return false;
    left -= item.cost;
    return true;
  });
  return taken.toReversed();
}

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

/** The clock of every measurement, so that the same run gives the same views. */
const NOW = 0;

/** precis without a model: one forced compaction that fills the budget. */
export function precis(options: { readonly counter: TokenCounter; readonly profile?: Profile }): Contestant {
  return {
    id: "precis",
    label: "precis, no model",
    async view({ messages, from, to, budget }) {
      const compactor = createCompactor({ dialect: openaiChat, budget, ...options });
      const result = await compactor.compact(messages.slice(from, to), { budget, now: NOW });
      await compactor.close();
      return messagesText(result.messages);
    },
  };
}
