import type { Climb } from "../ladder.ts";
import type { Operation } from "../operation.ts";

/** The newest quotations that fit a budget, and the tokens of the view with them; `tokens` are those of the view with all of them. */
export function fittingQuotations<Q extends { readonly tokens: number }>(
  all: readonly Q[],
  tokens: number,
  budget: number,
): { readonly quoted: readonly Q[]; readonly tokens: number } {
  let left = 0;
  let rest = tokens;
  while (rest > budget && left < all.length) rest -= all[left++]!.tokens;
  return { quoted: left === 0 ? all : all.slice(left), tokens: rest };
}

/**
 * A compaction ends what was quoted before it. Where one gained nothing and the view doesn't fit with its quotations, the oldest of them
 * leave: a view is never larger than its budget.
 */
export function withFittingQuotations<M>(operation: Operation<M>, { draft }: Climb): Operation<M> {
  const { survey } = operation;
  const { budget } = survey.budget;
  if (draft || survey.tokens <= budget || survey.quoted.length === 0) return operation;
  const { quoted, tokens } = fittingQuotations(survey.quoted, survey.tokens, budget);
  return { ...operation, survey: { ...survey, quoted, tokens, pressure: tokens / budget } };
}
