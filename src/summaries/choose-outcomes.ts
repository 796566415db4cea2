import type { Outcome } from "./outcomes.ts";
import { NEVER, recency } from "./recency.ts";

/** How the oldest command ended counts this much of what it would count now. */
const OLDEST = 0.3;

/** The outcomes that tell most for their length, in the order of their rank, within the budget (tokens). */
export function chooseOutcomes(input: {
  readonly outcomes: readonly Outcome[];
  readonly budget: number;
  readonly cost: (text: string) => number;
  /** Characters of transcript behind a message. */
  readonly age: (message: number) => number;
}): Outcome[] {
  const worth = ({ message, factor }: Outcome): number =>
    factor * (1 - (1 - OLDEST) * Math.min(1, recency(input.age(message)) / NEVER));
  const ranked = [...input.outcomes].sort((a, b) => worth(b) - worth(a) || b.message - a.message);
  const said = new Set<string>();
  const chosen: Outcome[] = [];
  let used = 0;
  for (const outcome of ranked) {
    const price = input.cost(`#1234 ${outcome.tool}» ${outcome.text}\n`);
    if (said.has(outcome.text) || used + price > input.budget) continue;
    said.add(outcome.text);
    used += price;
    chosen.push(outcome);
  }
  return chosen;
}
