import { type BreakEvenInput, breakEvenRequests, startPressure } from "../core/budget.ts";
import type { Checkpoint, Message, Reason, Run } from "../core/types.ts";
import { type Climb, climbTo, shortenBehindReasoning } from "./ladder/ladder.ts";
import { LEAST_REQUESTS } from "./plan/may-ask.ts";
import {
  APPLY_FROM,
  aheadRun,
  hasFreshRounds,
  isWorthAsking,
  lateCut,
  readyCut,
  wantedRun,
} from "./plan/wanted-run.ts";
import { LEAVE_BELOW } from "./read/checkpoint-view.ts";
import {
  type Conversation,
  fixedTokens,
  shownMessages,
  shownTurns,
  wholeTokens,
} from "./read/conversation.ts";
import { rejectedLimit } from "./read/limits.ts";
import { openLoop } from "./read/reasoning.ts";
import type { Operation, Survey } from "./read/survey.ts";
import { strategies, usesSummaries } from "./settings/settings.ts";

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
  const { survey } = operation;
  const rejected = isRejected(operation);
  const limit = rejected ? rejectedLimit(operation) : survey.budget.budget;
  const full = survey.tokens > limit;
  const judged = full ? operation : { ...operation, survey: withoutNewestQuotation(survey) };
  const due = survey.invalid ? invalidReason(judged) : dueReason(judged);
  // A count that is due far below the budget must get smaller; what would fit into the budget doesn't matter then.
  const modest = !full && (due === "messages" || due === "turns");
  const cheap = due === "cold-cache" || due === "pause";
  const goal = Math.min(cheap ? cheapGoal(operation) : survey.goal, limit);
  const target = { limit, goal, anyGain: full || rejected, modest };
  const steps = modest
    ? // Reductions leave the number of messages as it is.
      strategies[operation.engine.settings.strategy].steps.filter((step) => step !== "reduce")
    : undefined;
  if (!due) return beforeDue(operation, target, judged);
  const behind = full || rejected ? shortenBehindReasoning(operation, target.limit) : undefined;
  if (behind) return { due, wanted: undefined, result: behind };
  if (!asksModel(operation) || cheap) {
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
  const wanted = run && isWorthAsking(operation, run, modest ? "count" : "pressure") ? run : undefined;
  // Where nobody is asked, a small budget is used to its end, as without a model.
  if (!isReady && !wanted && due === "pressure" && judged.survey.pressure < startsAlone(operation))
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
  judged: Operation<M>,
): Promise<Decision> {
  const { survey } = operation;
  const { pressure } = judged.survey;
  const held = isHeld(judged);
  const ahead = survey.startsAt > ASKS_AT_LATEST;
  const applies = pressure >= (ahead ? survey.startsAt : APPLY_FROM) && !held;
  const ready = applies ? readyCut(operation, target.goal) : undefined;
  if (ready || (applies && hasFreshRounds(operation)))
    return { due: "pressure", wanted: undefined, result: await climbTo(operation, target, ready) };
  const late = isUserTurn(survey.conversation) && !held ? lateCut(operation) : undefined;
  if (late !== undefined) {
    const { reason } = survey.checkpoint!;
    const modest = reason === "messages" || reason === "turns";
    const again = { ...target, modest, rewords: true };
    const result = await climbTo(operation, again, late, survey.current, ["summarize"]);
    if (result.draft) return { due: modest ? reason : "pressure", wanted: undefined, result };
  }
  const early = ahead && pressure >= ASKS_AT_LATEST && !held;
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
function invalidReason<M>(operation: Operation<M>): Reason | undefined {
  return dueReason(operation) || operation.survey.pressure >= LEAVE_BELOW ? "invalid-checkpoint" : undefined;
}

function isRejected<M>({ input: { rejected } }: Operation<M>): boolean {
  return rejected !== undefined && rejected !== false;
}

/** Is there a model that would be asked for a summary? */
function asksModel<M>({ engine }: Operation<M>): boolean {
  return engine.summarizer !== undefined && usesSummaries(engine.settings.strategy);
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

/** A cold prompt cache makes compaction cheap: from this pressure on one is due. */
export const COLD_FROM = 0.4;
/** A user turn after a pause of this length is a good time for it, too, from this pressure on. */
const PAUSE_MS = 60_000;
const PAUSE_FROM = 0.5;
/** A record takes about this share of its ceiling. */
const USUAL_LENGTH = 0.5;
/** After an undo, automatic compaction waits until pressure has grown by this much. */
const UNDO_GROWTH = 0.1;
const MOST_REQUESTS = 50;

/** Is a compaction due now, and why? */
function dueReason<M>(operation: Operation<M>): Reason | undefined {
  const { survey } = operation;
  if (isRejected(operation)) return "rejected";
  if (survey.pressure > 1) return "budget";
  if (isHeld(operation)) return undefined;
  if (survey.pressure >= survey.startsAt && !hasJustCompacted(survey)) return "pressure";
  return countReason(operation) ?? cheapReason(operation);
}

/** Nothing may be applied below a full budget: switched off, undone, or bound by the reasoning of an open round. */
function isHeld<M>({ engine: { settings, dialect }, survey }: Operation<M>): boolean {
  if (!settings.auto || isSuspended(survey)) return true;
  return dialect.rules.boundReasoning === true && openLoop(survey.conversation) !== undefined;
}

/**
 * The last request of a tool loop was compacted already: where rounds are large, another compaction now would make it one on
 * every turn. As long as the budget holds, it waits for the next request.
 */
function hasJustCompacted<M>({ conversation, checkpoint }: Survey<M>): boolean {
  const { messages, structure } = conversation;
  if (!checkpoint || structure.unanswered === messages.length) return false;
  let answers = 0;
  for (let at = structure.units.length - 1; at >= 0; at--) {
    const { from } = structure.units[at]!;
    if (from < checkpoint.seen.messages) break;
    if (messages[from]!.role === "assistant") answers++;
  }
  return answers <= 1;
}

/** An undo holds until pressure has grown; a compaction that came after it ends it. */
function isSuspended<M>({ undos, checkpoint, pressure }: Survey<M>): boolean {
  return undos.some(
    (undo) => pressure < undo.pressure + UNDO_GROWTH && !(checkpoint && checkpoint.at > undo.at),
  );
}

/**
 * Counts what came since the last checkpoint plus what it kept. It fires again only when the last compaction has paid for
 * itself: each one writes the provider's cache anew, and below a full budget nothing presses.
 */
function countReason<M>(operation: Operation<M>): Reason | undefined {
  const { conversation, current, checkpoint } = operation.survey;
  const { messages, turns } = operation.engine.settings.triggers;
  if (checkpoint && !hasPaid(operation, checkpoint)) return undefined;
  // Hosts count their list, with the system prompt in it. After a compaction what it kept counts, without it: every turn would fire.
  const prompt = checkpoint ? 0 : conversation.structure.start || Math.sign(conversation.outside.system);
  if (messages !== undefined && shownMessages(conversation, current) + prompt > messages) return "messages";
  if (turns !== undefined && shownTurns(conversation, current) > turns) return "turns";
  return undefined;
}

/** Have as many requests come since a checkpoint as another one like it would take to pay off? A view that is half full doesn't wait for that. */
function hasPaid<M>(operation: Operation<M>, { seen, tokens }: Checkpoint): boolean {
  const { conversation, pressure } = operation.survey;
  const { structure, messages } = conversation;
  if (structure.turns.length <= seen.turns) return false;
  if (pressure >= PAUSE_FROM) return true;
  const summary = asksModel(operation) ? operation.engine.settings.summary.cap * USUAL_LENGTH : 0;
  const needed = requestsToPayOff(operation, { landing: tokens.after, cold: false, summary });
  return needed <= requestsIn(messages.slice(seen.messages));
}

/** Is a user's message the newest one? */
function isUserTurn({ structure, messages }: Conversation): boolean {
  return structure.lastUser === messages.length - 1;
}

/** A cold cache or a pause: compacting now costs little and disturbs nobody, if the break-even agrees. */
function cheapReason<M>(operation: Operation<M>): Reason | undefined {
  const { engine, input, now } = operation;
  const { conversation, pressure } = operation.survey;
  if (input.lastRequestAt === undefined) return undefined;
  const idle = now - input.lastRequestAt;
  const cacheTtlMs = input.cacheTtlMs ?? engine.settings.cache.ttlMs;
  const cold = idle > cacheTtlMs;
  // Where nothing is ever kept, no moment is cheaper than another: it would be compacted again and again.
  const reason: Reason | undefined =
    cold && cacheTtlMs > 0 && pressure >= COLD_FROM
      ? "cold-cache"
      : isUserTurn(conversation) && idle >= PAUSE_MS && pressure >= PAUSE_FROM
        ? "pause"
        : undefined;
  if (!reason) return undefined;
  const expected = Math.min(MOST_REQUESTS, Math.max(LEAST_REQUESTS, requestsIn(conversation.messages)));
  const needed = requestsToPayOff(operation, { landing: cheapGoal(operation), cold, summary: 0 });
  return needed <= expected ? reason : undefined;
}

/** Requests that must still come for a compaction to so many tokens to pay off. */
function requestsToPayOff<M>(
  { engine, survey }: Operation<M>,
  { landing, ...more }: Pick<BreakEvenInput, "landing" | "cold" | "summary">,
): number {
  const { head } = survey.conversation;
  return breakEvenRequests({
    view: survey.tokens - head,
    landing: landing - head,
    head,
    ...engine.settings.cache,
    ...more,
  });
}

function requestsIn(messages: readonly Message[]): number {
  return messages.filter(({ role }) => role === "assistant").length;
}

/** The view stays as it is. */
export function nothingDue({ tokens }: Pick<Survey<unknown>, "tokens">): Climb {
  return {
    draft: undefined,
    rung: "nothing-due",
    tokens,
    rungs: [{ rung: "nothing-due", result: "used", tokens }],
  };
}
