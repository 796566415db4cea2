import { landing } from "../../core/budget.ts";
import { isShown } from "../../core/draft.ts";
import { holdsMedia } from "../../core/message-text.ts";
import type { Remembered } from "../../core/state/read-state.ts";
import type { Budget, FitInput } from "../../core/types.ts";
import type { Settings } from "../settings/settings.ts";
import {
  type Conversation,
  fixedTokens,
  floorTokens,
  recordOfLong,
  unansweredTokens,
  wholeTokens,
} from "./conversation.ts";
import type { Operation } from "./survey.ts";

/**
 * Beside a large last user message or a large round that the model hasn't answered yet, a compaction lands at this share of
 * what they leave free.
 */
const LEAST_LANDING_SHARE = 0.25;
/** Where one message takes most of the budget, a quarter of the rest is no room for a summary: up to so much of it is used, and so many tokens. */
const BESIDE_LONG = { free: 0.75, tokens: 1_000 };
/** Where such a round leaves little, the summary message has half of it, up to this share of the room. */
const BESIDE_ROUND = { free: 0.5, room: 0.15 };
/** A tool loop goes on as it was: the next round is likely to be as large as this one, with a few words beside it … */
const NEXT_ROUND = 1.1;
/** … so room is left for it, as long as the summary keeps this share of what is free. */
const LEAST_BEFORE_NEXT = 0.1;

export interface LandingGoals {
  /** Tokens that a compaction aims at. */
  readonly goal: number;
  /** The same if no round waited for the model: what later compactions will aim at. */
  readonly usualGoal: number;
  /** Tokens at which the next compaction is due, if somebody gave a start or a landing; otherwise the budget. */
  readonly start: number;
}

/** Where a compaction of this conversation lands. */
export function landingGoals(
  conversation: Conversation,
  budget: Budget,
  { startAt, landAt }: Pick<Settings, "startAt" | "landAt">,
  /** Pressure at which the next compaction is due. */
  startsAt: number,
): LandingGoals {
  const floor = floorTokens(conversation);
  const fixed = fixedTokens(conversation);
  const isGiven = startAt !== undefined || landAt !== undefined;
  const start = isGiven ? Math.min(1, startsAt) * budget.budget : budget.budget;
  const usualGoal = Math.max(
    fixed + landing(budget.room, landAt, isGiven ? start - fixed : undefined),
    floor + Math.floor((start - floor) * LEAST_LANDING_SHARE),
    isCrowded(conversation, budget)
      ? floor + Math.floor(Math.min((start - floor) * BESIDE_LONG.free, BESIDE_LONG.tokens))
      : 0,
  );
  const goal = Math.max(usualGoal, landingAround(conversation, budget));
  return { goal: Math.min(goal, budget.budget), usualGoal: Math.min(usualGoal, budget.budget), start };
}

/** Does what every view shows of the conversation (mostly one long message of the user) take more than half of the room? */
export function isCrowded(conversation: Conversation, { room }: Pick<Budget, "room">): boolean {
  return floorTokens(conversation) - conversation.head > room / 2;
}

/** Where a compaction lands at the least because a round that the model hasn't answered is shown whole. */
function landingAround(conversation: Conversation, { budget, room }: Budget): number {
  const whole = wholeTokens(conversation);
  const free = budget - whole;
  const unanswered = unansweredTokens(conversation);
  if (unanswered === 0) return 0;
  const summary = Math.max(
    Math.min(free * BESIDE_ROUND.free, room * BESIDE_ROUND.room),
    Math.min(free, recordOfLong(conversation, budget)),
  );
  const usual = whole + Math.floor(Math.max(free * LEAST_LANDING_SHARE, summary));
  const beforeNext = Math.floor(budget - unanswered * NEXT_ROUND);
  return beforeNext < whole + free * LEAST_BEFORE_NEXT ? usual : Math.min(usual, beforeNext);
}

/** A budget is larger if a larger model was chosen. One that moved a little, because tools or answers changed, is not. */
export const LARGER_BUDGET = 1.25;
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
