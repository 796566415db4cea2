import type { EvalCase, Observation, RetentionMeasure } from "../types.ts";

/** A measure of which more is better. */
export function higher<C extends EvalCase>(
  id: string,
  label: string,
  about: string,
  observe: RetentionMeasure<C>["observe"],
): RetentionMeasure<C> {
  return { id, label, about, better: "higher", observe };
}

/** How many of the wanted items are there; counts over all cases, as a case has few. Undefined if none is wanted. */
export function countThere<T>(wanted: readonly T[], isThere: (item: T) => boolean): Observation | undefined {
  if (wanted.length === 0) return undefined;
  return { sum: wanted.filter(isThere).length, weight: wanted.length };
}

/** The share of the wanted items that is there; each case counts the same. */
export function shareThere<T>(wanted: readonly T[], isThere: (item: T) => boolean): Observation | undefined {
  const there = countThere(wanted, isThere);
  return there && { sum: there.sum / there.weight, weight: 1 };
}
