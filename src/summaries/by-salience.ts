import type { Salience } from "./salience.ts";
import { select } from "./select.ts";

/** Above 1: of two texts that tell the same for their length, the shorter one. */
const COST_EXPONENT = 1.8;

/** Ordinals of texts, those that tell most for their length first; what was told already counts less. */
export function bySalience(
  texts: readonly string[],
  {
    cost,
    salience,
    known,
  }: {
    readonly cost: (text: string) => number;
    readonly salience: Salience;
    /** Terms that were told before; the ranking adds to them. */
    readonly known: Set<number>;
  },
): number[] {
  salience.prepare();
  const terms = texts.map((text) => salience.terms(text));
  const costs = texts.map((text) => Math.max(1, cost(text)) ** COST_EXPONENT);
  return select([...texts.keys()], {
    // What tells nothing comes last.
    worth: (at) => Math.max(Number.MIN_VALUE, salience.of(texts[at]!, terms[at]!, known) / costs[at]!),
    onTake(at) {
      for (const term of terms[at]!) known.add(term);
    },
  });
}
