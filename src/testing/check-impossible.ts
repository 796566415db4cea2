import type { DialectId } from "../core/types.ts";
import { lastUserIndex } from "./check-view.ts";
import type { WireFacts } from "./rules/facts.ts";
import { judgeWire } from "./rules/judge-wire.ts";
import { pairsAnywhere } from "./rules/pairing.ts";

/** Tokens that a wire format may need beyond head and last user message: a first user message, markers. */
export const FORMAT_MINIMUM = 64;

/** What `checkImpossible` needs: the call that threw `BudgetImpossibleError`. */
export interface CheckImpossibleInput {
  readonly dialect: DialectId;
  readonly transcript: readonly unknown[];
  readonly system?: unknown;
  readonly pinned?: readonly number[];
  readonly extras?: readonly unknown[];
  readonly budget: number;
  readonly count: (message: unknown) => number;
}

/**
 * Whether a `BudgetImpossibleError` was right: only where the head and the last user message alone don't fit.
 * Generous to the engine: pinned rounds count whole, and the format's minimum is rounded up.
 */
export function checkImpossible(input: CheckImpossibleInput): string[] {
  const { dialect, transcript, system, budget, count } = input;
  const judgement = judgeWire(dialect, transcript);
  const needed = new Set(input.pinned ?? []);
  const firstOther = judgement.facts.findIndex((fact) => fact.role !== "system");
  for (let index = 0; index < (firstOther < 0 ? transcript.length : firstOther); index++) needed.add(index);
  const last = lastUserIndex(dialect, transcript);
  if (last >= 0) needed.add(last);
  // Words beside results count when they come last, and so does the last message that is nothing but words.
  const before = lastUserIndex(dialect, transcript.slice(0, -1));
  if (before >= 0 && last === transcript.length - 1 && judgement.facts[last]!.results.length > 0)
    needed.add(before);
  addRounds(needed, judgement.partners, judgement.facts);
  // The engine's rounds hold what stands between a call and a late result, whatever the format says.
  addRounds(needed, pairsAnywhere(dialect, judgement.facts), judgement.facts);

  let least = FORMAT_MINIMUM + (system === undefined ? 0 : count({ role: "system", content: system }));
  for (const index of needed) least += count(transcript[index]);
  for (const extra of input.extras ?? []) least += count(extra);
  return least <= budget
    ? [`impossible: head and last user message need at most ${least} tokens, the budget is ${budget}`]
    : [];
}

/** A message in a round brings the whole round, what stands inside it, and the results and answers beside it. */
function addRounds(
  needed: Set<number>,
  partners: ReadonlyMap<string, number>,
  facts: readonly WireFacts[],
): void {
  const spans = [...partners].map(([link, from]) => {
    let to = Number.parseInt(link, 10);
    let first = from;
    while ((facts[to + 1]?.results.length ?? 0) > 0) to++;
    while (facts[first - 1]?.role === "assistant") first--;
    return { from: first, to };
  });
  // Items of one answer stand together too.
  for (const [at, fact] of facts.entries())
    if (fact.role === "assistant" && facts[at + 1]?.role === "assistant")
      spans.push({ from: at, to: at + 1 });
  for (let size = -1; size !== needed.size; ) {
    size = needed.size;
    for (const { from, to } of spans) {
      if (![...needed].some((index) => index >= from && index <= to)) continue;
      for (let index = from; index <= to; index++) needed.add(index);
    }
  }
}
