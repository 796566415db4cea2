import { isShown } from "../core/draft.ts";
import { holdsMedia } from "../core/message-text.ts";
import type { Remembered } from "../core/state/remembered.ts";
import type { FitInput } from "../core/types.ts";
import { LARGER_BUDGET } from "./choose-checkpoint.ts";
import type { Operation } from "./operation.ts";

/** A view that the provider refused without a number is made this much smaller. */
const REJECTED_SHARE = 0.7;
/** With the provider's own number known, this much of the budget is aimed at. */
const REJECTED_MARGIN = 0.95;
/** So long the views of a conversation stay below what was refused; then more is tried again (milliseconds). */
const REMEMBERED_MS = 60 * 60_000;
/** What needs more than this share of it for itself is tried at once. */
const MOST_NEEDED = 0.5;

/** What the provider said of the view that it refused. */
function refusalOf({ rejected }: Pick<FitInput<unknown>, "rejected">): {
  readonly tokens?: number;
  readonly limit?: number;
} {
  return typeof rejected === "object" && rejected !== null ? rejected : {};
}

/** The window of an operation: the provider may just have named a smaller one. */
export function windowFor(
  window: number | undefined,
  input: Pick<FitInput<unknown>, "rejected">,
): number | undefined {
  const { limit } = refusalOf(input);
  return limit === undefined ? window : Math.min(window ?? limit, limit);
}

/** Tokens that a view may have after the provider refused the present one, by our own count. */
export function rejectedLimit<M>({ input, survey }: Operation<M>): number {
  const { tokens, budget } = survey;
  const { tokens: counted, limit } = refusalOf(input);
  const sent = tokens + budget.tools;
  const factor = Math.max(1, (counted ?? sent) / sent);
  const allowed = Math.floor(((budget.budget + budget.tools) / factor - budget.tools) * REJECTED_MARGIN);
  // By its own numbers the view fits: the answer that was asked for didn't.
  const fits = counted !== undefined && limit !== undefined && counted <= limit;
  return allowed < tokens || fits ? Math.min(allowed, budget.budget) : Math.floor(tokens * REJECTED_SHARE);
}

/**
 * The same, if it is worth remembering. Without a number nobody knows whether a file or a picture was the reason, and their
 * counts are estimates.
 */
export function limitToRemember<M>(operation: Operation<M>): number | undefined {
  const { input, survey } = operation;
  const { tokens, limit } = refusalOf(input);
  const allowed = rejectedLimit(operation);
  if (allowed >= survey.tokens) return undefined;
  if (tokens !== undefined || limit !== undefined) return allowed;
  const { messages } = survey.conversation;
  const isUnsure = survey.current.fates.some((fate, index) => isShown(fate) && holdsMedia(messages[index]!));
  return isUnsure ? undefined : allowed;
}

/** Tokens that views may have because the provider refused more of this conversation lately; infinite where it didn't. */
export function rememberedLimit(
  { checkpoints }: Pick<Remembered, "checkpoints">,
  chain: readonly string[],
  now: number,
  /** What the compactor allows: one for a larger model has nothing to do with it. */
  budget: number,
  /** What every view needs. */
  needed: number,
): number {
  let least = Number.POSITIVE_INFINITY;
  for (const { limit = least, hash, length, at, budget: before } of checkpoints) {
    const isOurs = chain[length] === hash && before * LARGER_BUDGET > budget;
    if (isOurs && now - at < REMEMBERED_MS && needed <= limit * MOST_NEEDED) least = Math.min(least, limit);
  }
  return least;
}
