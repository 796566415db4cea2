import { startPressure } from "../core/budget.ts";
import type { Reason, Run } from "../core/types.ts";
import { LEAVE_BELOW } from "./choose-checkpoint.ts";
import { climbTo, nothingDue } from "./climb-to.ts";
import { fixedTokens, wholeTokens } from "./conversation.ts";
import { dueReason, isHeld, isUserTurn } from "./due.ts";
import type { Climb } from "./ladder.ts";
import type { Operation } from "./operation.ts";
import { rejectedLimit } from "./rejected.ts";
import type { RungInput } from "./rungs/rung.ts";
import { shortenBehindReasoning } from "./shorten-behind-reasoning.ts";
import { strategies, usesSummaries } from "./strategies.ts";
import type { Survey } from "./survey.ts";
import { APPLY_FROM, aheadRun, hasFreshRounds, lateCut, readyCut, wantedRun } from "./wanted-run.ts";
import { isWorthAsking, isWorthAskingByCount } from "./worth-asking.ts";

/**
 * Where a compaction starts later than this, its summary is asked for here: asked when the budget is full, it would be shown
 * a whole compaction late.
 */
const ASKS_AT_LATEST = 0.85;
/** When a compaction is cheap, it lands at this share of room, and leaves at least this much beside what is fixed. */
const CHEAP_LANDING = 0.3;
const LEAST_LANDING = 0.1;

/** What `fit` would do: leave the view, climb the ladder, or have a summary written first. */
export interface Decision {
  readonly due: Reason | undefined;
  readonly result: Climb;
  /** The messages (after the leading system messages) that a model should summarise in the background. */
  readonly wanted: Run | undefined;
  /** What is done if nobody can be asked for it just now: a compaction that is due isn't held up. */
  readonly otherwise?: () => Promise<Climb>;
}

/** Decides without doing: a function of transcript, state, options and now. */
export async function decide<M>(operation: Operation<M>): Promise<Decision> {
  const { engine, input, survey, now } = operation;
  const { settings, dialect } = engine;
  const rejected = input.rejected !== undefined && input.rejected !== false;
  const limit = rejected ? rejectedLimit(operation) : survey.budget.budget;
  const full = survey.tokens > limit;
  const judged = full ? survey : withoutNewestQuotation(survey);
  const { pressure } = judged;
  const dueInput = {
    ...judged,
    goal: cheapGoal(operation),
    settings,
    rules: dialect.rules,
    now,
    lastRequestAt: input.lastRequestAt,
    rejected,
    asksModel: engine.summarizer !== undefined && usesSummaries(settings.strategy),
  };
  const due = survey.invalid ? invalidReason(dueInput) : dueReason(dueInput);
  // A count that is due far below the budget must get smaller; what would fit into the budget doesn't matter then.
  const modest = !full && (due === "messages" || due === "turns");
  const cheap = due === "cold-cache" || due === "pause";
  const goal = Math.min(cheap ? dueInput.goal : survey.goal, limit);
  const target = { limit, goal, anyGain: full || rejected, modest };
  const steps = modest ? withoutReductions(operation) : undefined;
  if (!due) return beforeDue(operation, target, dueInput);
  const behind = full || rejected ? shortenBehindReasoning(operation, target.limit) : undefined;
  if (behind) return { due, wanted: undefined, result: behind };
  if (!engine.summarizer || !usesSummaries(engine.settings.strategy) || cheap) {
    const ready = readyCut(operation, target.goal);
    const result = await climbTo(operation, target, ready, survey.current, steps);
    return { due, wanted: undefined, result };
  }
  const reduced =
    full || modest ? undefined : await climbTo(operation, target, undefined, survey.current, ["reduce"]);
  if (reduced?.draft) return { due, wanted: undefined, result: reduced };
  const ready = readyCut(operation, target.goal);
  const isReady = ready !== undefined || hasFreshRounds(operation);
  const run = isReady ? undefined : wantedRun(operation, target.goal);
  const wanted =
    run && (modest ? isWorthAskingByCount(operation, run) : isWorthAsking(operation, run)) ? run : undefined;
  // Where nobody is asked, a small budget is used to its end, as without a model.
  if (!isReady && !wanted && due === "pressure" && pressure < startsAlone(operation))
    return { due: undefined, wanted, result: nothingDue(survey) };
  if (wanted && !full) {
    const otherwise = () => climbTo(operation, target, undefined, survey.current, steps);
    return { due, wanted, result: nothingDue(survey), otherwise };
  }
  return { due, wanted, result: await climbTo(operation, target, ready, survey.current, steps) };
}

/**
 * While nothing is due: applies a summary that is ready, puts one that came too late for its compaction in the place of code's at the
 * next user turn, or asks for one ahead of a late start.
 */
async function beforeDue<M>(
  operation: Operation<M>,
  target: Parameters<typeof climbTo<M>>[1],
  dueInput: Parameters<typeof isHeld>[0],
): Promise<Decision> {
  const { survey } = operation;
  const { pressure } = dueInput;
  const ahead = survey.startsAt > ASKS_AT_LATEST;
  const applies = pressure >= (ahead ? survey.startsAt : APPLY_FROM) && !isHeld(dueInput);
  const ready = applies ? readyCut(operation, target.goal) : undefined;
  if (ready || (applies && hasFreshRounds(operation)))
    return { due: "pressure", wanted: undefined, result: await climbTo(operation, target, ready) };
  const late = isUserTurn(survey.conversation) && !isHeld(dueInput) ? lateCut(operation) : undefined;
  if (late !== undefined) {
    const { reason } = survey.checkpoint!;
    const modest = reason === "messages" || reason === "turns";
    const again = { ...target, modest, rewords: true };
    const result = await climbTo(operation, again, late, survey.current, ["summarize"]);
    if (result.draft) return { due: modest ? reason : "pressure", wanted: undefined, result };
  }
  const early = ahead && pressure >= ASKS_AT_LATEST && !isHeld(dueInput);
  const wanted = early ? aheadRun(operation, target.goal) : undefined;
  return { due: undefined, wanted, result: nothingDue(survey) };
}

/**
 * The survey as it was before something was quoted for the newest message: a request that comes again is judged as it was the first
 * time, and its own quotation doesn't make a compaction due.
 */
function withoutNewestQuotation<M>(survey: Survey<M>): Survey<M> {
  const newest = survey.conversation.messages.length - 1;
  const own = survey.quoted.find(({ before }) => before === newest);
  if (!own) return survey;
  const tokens = survey.tokens - own.tokens;
  return { ...survey, tokens, pressure: tokens / survey.budget.budget };
}

/** A compaction that no longer holds is made anew, unless all of the transcript fits with ease. */
function invalidReason(dueInput: Parameters<typeof dueReason>[0]): Reason | undefined {
  return dueReason(dueInput) || dueInput.pressure >= LEAVE_BELOW ? "invalid-checkpoint" : undefined;
}

/**
 * Where a compaction lands when it is cheap: a cold cache is written anew anyway, so every token less is saved at once
 * and on each request that follows.
 */
function cheapGoal<M>({ engine, survey }: Operation<M>): number {
  if (engine.settings.landAt !== undefined) return survey.goal;
  const { conversation, budget, goal } = survey;
  const lowest = wholeTokens(conversation) + Math.floor(budget.room * LEAST_LANDING);
  return Math.min(
    goal,
    Math.max(lowest, fixedTokens(conversation) + Math.floor(budget.room * CHEAP_LANDING)),
  );
}

/** Pressure at which a compaction starts without a model. */
function startsAlone<M>({ engine, survey }: Operation<M>): number {
  const { startAt } = engine.settings;
  return startPressure({ startAt, budget: survey.budget.budget, model: false, conversation: survey.name });
}

/** Reductions leave the number of messages as it is. */
function withoutReductions<M>({ engine }: Operation<M>): RungInput["steps"] {
  return strategies[engine.settings.strategy].steps.filter((step) => step !== "reduce");
}
