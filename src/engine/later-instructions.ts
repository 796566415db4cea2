import { isSummary } from "../core/markers.ts";
import type { Structure } from "../core/rounds.ts";
import type { Message } from "../core/types.ts";

/** Instructions of this share of the budget are held at the most. */
const MOST_SHARE = 1 / 8;
/** And of this share of what head and last user message leave free. */
const FREE_SHARE = 1 / 2;

/**
 * System messages that came after the first other message: what they say holds from there on, so views show them where
 * they stand. Hosts also send notes of the moment in them ("12,000 tokens left"): of several that differ only in numbers
 * the newest counts. If there are too many, the first one and the newest ones are held.
 */
export function laterInstructions({
  messages,
  structure,
  tokens,
  isHead,
  budget,
  free,
}: {
  readonly messages: readonly Message[];
  readonly structure: Structure;
  readonly tokens: readonly number[];
  /** What is held anyway. */
  readonly isHead: (index: number) => boolean;
  readonly budget: number;
  /** Tokens of the budget beside head and last user message. */
  readonly free: number;
}): readonly number[] {
  const found: { readonly index: number; readonly cost: number }[] = [];
  const seen = new Set<string>();
  for (let index = messages.length - 1; index > structure.start; index--) {
    const message = messages[index]!;
    if (message.role !== "system" || isHead(index) || isSummary(message)) continue;
    const gist = gistOf(message);
    if (gist === "" || seen.has(gist)) continue;
    seen.add(gist);
    const unit = structure.units[structure.unitOf[index]!]!;
    let cost = 0;
    for (let one = unit.from; one < unit.to; one++) cost += tokens[one]!;
    found.push({ index, cost });
  }
  if (found.length === 0) return [];
  let left = Math.min(budget * MOST_SHARE, free * FREE_SHARE);
  const byWorth = [found.at(-1)!, ...found.slice(0, -1)];
  const held = byWorth.filter(({ cost }) => {
    if (cost > left) return false;
    left -= cost;
    return true;
  });
  return held.map(({ index }) => index);
}

function gistOf({ parts }: Message): string {
  return parts
    .map((part) => (part.type === "text" ? part.text.replace(/\d+/g, "0") : part.type))
    .join("\n")
    .trim();
}
