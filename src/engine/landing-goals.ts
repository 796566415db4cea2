import { landing } from "../core/budget.ts";
import type { Budget } from "../core/types.ts";
import {
  type Conversation,
  fixedTokens,
  floorTokens,
  recordOfLong,
  unansweredTokens,
  wholeTokens,
} from "./conversation.ts";
import type { Settings } from "./settings.ts";

/**
 * Beside a large last user message or a large round that the model hasn't answered yet, a compaction lands at this share of
 * what they leave free.
 */
const LEAST_LANDING_SHARE = 0.25;
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
  );
  const goal = Math.max(usualGoal, landingAround(conversation, budget));
  return { goal: Math.min(goal, budget.budget), usualGoal: Math.min(usualGoal, budget.budget), start };
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
