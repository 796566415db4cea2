import { MESSAGE_OVERHEAD, messageText } from "../message-text.ts";
import type { ContestInput, Count } from "../types.ts";

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

export function joined(items: readonly Item[]): string {
  return items.map((item) => item.text).join("\n");
}

/** The newest items that fit, passing over those that are too large for what is left; in their own order. */
export function newestThatFit(items: readonly Item[], budget: number): Item[] {
  let left = budget;
  const taken = items.toReversed().filter((item) => {
    if (item.cost > left) return false;
    left -= item.cost;
    return true;
  });
  return taken.toReversed();
}
