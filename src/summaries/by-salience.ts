import { mapSteps, type Steps } from "../core/steps.ts";
import { Heap } from "./heap.ts";
import type { Salience } from "./salience.ts";

/** Above 1: of two texts that tell the same for their length, the shorter one. */
const COST_EXPONENT = 1.8;

/** Ordinals of texts, those that tell most for their length first; what was told already counts less. */
export function* bySalience(
  texts: readonly string[],
  {
    cost,
    salience,
    known,
    factor = () => 1,
    exponent = COST_EXPONENT,
  }: {
    readonly cost: (text: string) => number;
    readonly salience: Salience;
    /** Terms that were told before; the ranking adds to them. */
    readonly known: Set<number>;
    /** What a text counts by more than its words. */
    readonly factor?: (at: number) => number;
    readonly exponent?: number;
  },
): Steps<number[]> {
  yield* salience.prepare();
  const terms = yield* mapSteps(texts, (text) => salience.terms(text));
  const costs = yield* mapSteps(texts, (text) => Math.max(1, cost(text)) ** exponent);
  const priority = new Float64Array(texts.length);
  const worth = (at: number): number =>
    (factor(at) * salience.of(texts[at]!, terms[at]!, known)) / costs[at]!;
  const heap = new Heap(priority);
  yield* mapSteps(texts, (_, at) => {
    priority[at] = worth(at);
    heap.push(at);
  });
  const ranked: number[] = [];
  for (let at = heap.pop(); at !== undefined; at = heap.pop()) {
    yield;
    const fresh = worth(at);
    if (fresh < priority[at]!) {
      priority[at] = fresh;
      heap.push(at);
      continue;
    }
    ranked.push(at);
    for (const term of terms[at]!) known.add(term);
  }
  return ranked;
}
