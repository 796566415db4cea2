import type { Climb } from "../ladder.ts";
import type { Operation } from "../operation.ts";

/**
 * A compaction ends what was quoted before it. Where one gained nothing and the view doesn't fit with its quotations, the oldest of them
 * leave: a view is never larger than its budget.
 */
export function withFittingQuotations<M>(operation: Operation<M>, { draft }: Climb): Operation<M> {
  const { survey } = operation;
  const { budget } = survey.budget;
  if (draft || survey.tokens <= budget || survey.quoted.length === 0) return operation;
  const quoted = [...survey.quoted];
  let { tokens } = survey;
  while (tokens > budget && quoted.length > 0) tokens -= quoted.shift()!.tokens;
  return { ...operation, survey: { ...survey, quoted, tokens, pressure: tokens / budget } };
}
