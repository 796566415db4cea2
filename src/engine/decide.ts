import { startPressure } from "../core/budget.ts";
import { type Draft, isShown } from "../core/draft.ts";
import type { Steps } from "../core/steps.ts";
import type { FitInput, Reason, Run, RungName } from "../core/types.ts";
import { LEAVE_BELOW } from "./choose-checkpoint.ts";
import {
  draftTokens,
  fixedTokens,
  floorTokens,
  hiddenEnd,
  unansweredTokens,
  wholeTokens,
} from "./conversation.ts";
import { dueReason, isHeld } from "./due.ts";
import { judge } from "./judge.ts";
import { type Climb, climb } from "./ladder.ts";
import { type Narrative, narrativeOf } from "./narrative.ts";
import type { Operation } from "./operation.ts";
import { withQuoted } from "./recall/quotations.ts";
import { roundRecords, roundsEnd, summarizesRounds, unsealedRounds } from "./round-runs.ts";
import type { RungInput } from "./rungs/rung.ts";
import { shrinkParts } from "./shrink.ts";
import { dropsUnboundReasoning, openLoop } from "./signed-reasoning.ts";
import { strategies, usesSummaries } from "./strategies.ts";
import { landingRoom, landingTail } from "./summary-room.ts";
import type { Survey } from "./survey.ts";
import { newestUnit, tailFrom } from "./tail.ts";
import { canBeShown, isWorthAsking, isWorthAskingByCount } from "./worth-asking.ts";

/** A summary that became ready is applied from this pressure on; below it is kept for later. */
const APPLY_FROM = 0.65;
/**
 * Where a compaction starts later than this, its summary is asked for here: asked when the budget is full, it would be shown
 * a whole compaction late.
 */
const ASKS_AT_LATEST = 0.85;
/** A view that the provider refused without a number is made this much smaller. */
const REJECTED_SHARE = 0.7;
/** When a compaction is cheap, it lands at this share of room, and leaves at least this much beside what is fixed. */
const CHEAP_LANDING = 0.3;
const LEAST_LANDING = 0.1;
/** Where thinking can't be switched off, a round under way is shortened to this share of the budget. */
const LOOP_SHARE = 0.85;
/** With the provider's own number known, this much of the budget is aimed at. */
const REJECTED_MARGIN = 0.95;

/** What `fit` would do: leave the view, climb the ladder, or have a summary written first. */
export interface Decision {
  readonly due: Reason | undefined;
  readonly result: Climb;
  /** The messages (after the leading system messages) that a model should summarise in the background. */
  readonly wanted: Run | undefined;
  /** What is done if nobody can be asked for it just now: a compaction that is due isn't held up. */
  readonly otherwise?: () => Steps<Climb>;
}

/** Decides without doing: a function of transcript, state, options and now. */
export function* decide<M>(operation: Operation<M>): Steps<Decision> {
  const { engine, input, survey, now } = operation;
  const { settings, dialect } = engine;
  const rejected = input.rejected !== undefined && input.rejected !== false;
  const dueInput = {
    ...survey,
    goal: cheapGoal(operation),
    settings,
    rules: dialect.rules,
    now,
    lastRequestAt: input.lastRequestAt,
    rejected,
    asksModel: engine.summarizer !== undefined && usesSummaries(settings.strategy),
  };
  const due = survey.invalid ? invalidReason(dueInput) : dueReason(dueInput);
  const limit = rejected
    ? Math.min(survey.budget.budget, rejectedLimit(input.rejected, survey.tokens, survey.budget.budget))
    : survey.budget.budget;
  const full = survey.tokens > limit;
  // A count that is due far below the budget must get smaller; what would fit into the budget doesn't matter then.
  const modest = !full && (due === "messages" || due === "turns");
  const cheap = due === "cold-cache" || due === "pause";
  const goal = Math.min(cheap ? dueInput.goal : survey.goal, limit);
  const target = { limit, goal, anyGain: full || rejected, modest };
  const steps = modest ? withoutReductions(operation) : undefined;
  if (!due) {
    const ahead = survey.startsAt > ASKS_AT_LATEST;
    const applies = survey.pressure >= (ahead ? survey.startsAt : APPLY_FROM) && !isHeld(dueInput);
    const ready = applies ? readyCut(operation, target.goal) : undefined;
    if (ready || (applies && hasFreshRounds(operation)))
      return { due: "pressure", wanted: undefined, result: yield* climbTo(operation, target, ready) };
    const early = ahead && survey.pressure >= ASKS_AT_LATEST && !isHeld(dueInput);
    return { due, wanted: early ? aheadRun(operation, target.goal) : undefined, result: nothingDue(survey) };
  }
  const behind = full || rejected ? shortenBehindReasoning(operation, target.limit) : undefined;
  if (behind) return { due, wanted: undefined, result: behind };
  if (!engine.summarizer || !usesSummaries(engine.settings.strategy) || cheap) {
    const ready = readyCut(operation, target.goal);
    return {
      due,
      wanted: undefined,
      result: yield* climbTo(operation, target, ready, survey.current, steps),
    };
  }
  const reduced =
    full || modest ? undefined : yield* climbTo(operation, target, undefined, survey.current, ["reduce"]);
  if (reduced?.draft) return { due, wanted: undefined, result: reduced };
  const ready = readyCut(operation, target.goal);
  const isReady = ready !== undefined || hasFreshRounds(operation);
  const run = isReady ? undefined : wantedRun(operation, target.goal);
  const wanted =
    run && (modest ? isWorthAskingByCount(operation, run) : isWorthAsking(operation, run)) ? run : undefined;
  // Where nobody is asked, a small budget is used to its end, as without a model.
  if (!isReady && !wanted && due === "pressure" && survey.pressure < startsAlone(operation))
    return { due: undefined, wanted, result: nothingDue(survey) };
  if (wanted && !full) {
    const otherwise = () => climbTo(operation, target, undefined, survey.current, steps);
    return { due, wanted, result: nothingDue(survey), otherwise };
  }
  return { due, wanted, result: yield* climbTo(operation, target, ready, survey.current, steps) };
}

/** What a compaction that comes later will need a summary of. Without a tail it would be everything, and the end changes. */
function aheadRun<M>(operation: Operation<M>, goal: number): Run | undefined {
  const { settings } = operation.engine;
  if (!usesSummaries(settings.strategy) || settings.strategy === "summarize-and-drop") return undefined;
  if (readyCut(operation, goal) !== undefined || hasFreshRounds(operation)) return undefined;
  const run = wantedRun(operation, goal);
  return run && isWorthAsking(operation, run) ? run : undefined;
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

/** Climbs the ladder towards a target, with the summaries that are there. */
export function* climbTo<M>(
  operation: Operation<M>,
  target: Pick<RungInput, "limit" | "goal" | "anyGain" | "modest" | "spokenFor">,
  cut: number | undefined,
  current: Draft = operation.survey.current,
  steps?: RungInput["steps"],
): Steps<Climb> {
  const { engine, input, survey } = operation;
  const rounds = speaksOfRounds(operation)
    ? roundRecords(survey.state.summaries, survey.conversation)
    : undefined;
  const narrative = narrativeFor(operation).records;
  return yield* climb(
    {
      conversation: survey.conversation,
      current,
      settings: engine.settings,
      rules: engine.dialect.rules,
      ...target,
      focus: input.focus,
      isOurs: engine.writtenTexts.has,
      narrative,
      ...(rounds && { rounds }),
      cut,
      range: operation.range?.run,
      writtenBy:
        cut === undefined && !rounds?.size && !(operation.range && narrative.length > 0)
          ? undefined
          : writtenBy(operation),
      keepReasoningFrom: dropsUnboundReasoning(input.request)
        ? openLoop(survey.conversation, engine.dialect.rules)?.from
        : undefined,
      ...(steps && { steps }),
    },
    (draft, tokens) => breaches(operation, draft, tokens, target.limit),
  );
}

function breaches<M>(
  operation: Operation<M>,
  draft: Draft,
  tokens: number,
  limit: number,
): readonly string[] {
  const { engine, transcript, input, survey } = operation;
  const { dialect } = engine;
  const { conversation } = survey;
  return judge({ dialect, transcript, system: input.system, conversation, draft, tokens, limit });
}

/**
 * The last way out where thinking can't be switched off: nothing before the signed reasoning of the open round changes,
 * and what stands behind it (the newest results) is shortened. Undefined if that isn't asked for or isn't enough.
 */
function shortenBehindReasoning<M>(operation: Operation<M>, limit: number): Climb | undefined {
  const { engine, input, survey } = operation;
  const { conversation } = survey;
  // What is quoted stands before that reasoning, too.
  const current = withQuoted(survey.current, survey.quoted, engine.dialect.rules);
  const loop = openLoop(conversation, engine.dialect.rules);
  if (!loop || input.thinking !== "must-stay" || dropsUnboundReasoning(input.request)) return undefined;
  const indexes = Array.from({ length: loop.to - loop.signed - 1 }, (_, at) => loop.signed + 1 + at);
  const shrink = (parts: readonly number[], to: number) =>
    shrinkParts({
      conversation,
      draft: current,
      indexes: parts,
      limit: Math.floor(to),
      why: "hard-cut",
      rules: engine.dialect.rules,
    });
  // The loop goes on: a view that is full to the brim would leave nothing for its next result. What the model has answered
  // goes first.
  const answered = indexes.filter((index) => index < conversation.structure.unanswered);
  const draft =
    shrink(answered, limit * LOOP_SHARE) ??
    shrink(answered, limit) ??
    shrink(indexes, limit * LOOP_SHARE) ??
    shrink(indexes, limit);
  if (!draft) return undefined;
  const tokens = draftTokens(conversation, draft);
  if (breaches(operation, draft, tokens, limit).length > 0) return undefined;
  return {
    draft,
    rung: "hard-cut",
    tokens,
    rungs: [{ rung: "hard-cut", result: "used", tokens, note: "behind signed reasoning" }],
  };
}

/** How the newest summary came about; one that this process didn't write was there already. */
function writtenBy<M>({ engine, survey }: Operation<M>): RungName {
  const accepted = engine.unreported.get(survey.name)?.findLast((one) => one.result === "accepted");
  return accepted?.rung ?? "known-summaries";
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

/** All records that fit the transcript so far, or those of the range that is to be hidden. */
function narrativeFor<M>({ survey, range }: Operation<M>): Narrative {
  const { chain, structure } = survey.conversation;
  const { from, to } = range
    ? { from: range.run.from - structure.start, to: range.run.to - structure.start }
    : { from: 0, to: chain.length - 1 };
  return narrativeOf(survey.state.summaries, chain, to, from);
}

/** Are there summaries of rounds alone? A range that a person chose is spoken for as a whole, whatever the strategy. */
export function speaksOfRounds<M>({ engine, range }: Pick<Operation<M>, "engine" | "range">): boolean {
  return !range && summarizesRounds(engine.settings);
}

/**
 * Where the tail may begin because everything before it is summarised: farther than the current view goes, and far
 * enough that the view gets small. Otherwise the conversation has outgrown its summary, and the next one is due.
 */
export function readyCut<M>(operation: Operation<M>, goal: number): number | undefined {
  const { survey } = operation;
  const { conversation, current, checkpoint, budget } = survey;
  const { start } = conversation.structure;
  const { sealed } = narrativeOf(
    survey.state.summaries,
    conversation.chain,
    newestUnit(conversation).from - start,
  );
  if (sealed <= (checkpoint?.sealed ?? 0) || sealed <= hiddenEnd(conversation, current.fates))
    return undefined;
  const cut = start + sealed;
  // A result that came late may have joined what the summary ends in to what follows it: rounds are never split.
  const { units, unitOf } = conversation.structure;
  if (cut < unitOf.length && units[unitOf[cut]!]!.from !== cut) return undefined;
  // The unanswered round is shown whatever it takes: how small the view gets is a question of what stands beside it.
  const unanswered = unansweredTokens(conversation);
  const kept = floorTokens(conversation) + tailFrom(conversation, cut).tokens - unanswered;
  const landing = goal - conversation.head - unanswered;
  return kept + landing / 2 <= APPLY_FROM * (budget.budget - unanswered) ? cut : undefined;
}

/** The run that a model has not summarised yet, up to where the tail would begin now. */
export function wantedRun<M>(operation: Operation<M>, goal: number): Run | undefined {
  const { engine, survey } = operation;
  if (!engine.summarizer || !usesSummaries(engine.settings.strategy) || !canBeShown(operation))
    return undefined;
  if (speaksOfRounds(operation)) {
    // Its question would stand behind the whole conversation: it can't be asked about some rounds alone.
    if (engine.settings.summary.mode === "continuation") return undefined;
    const { conversation, state } = survey;
    const to = roundsEnd(conversation, engine.settings, goal);
    const runs = unsealedRounds(conversation, state.summaries, { to });
    const { start } = conversation.structure;
    return runs[0] && { from: runs[0].from - start, to: runs.at(-1)!.to - start };
  }
  const from = narrativeFor(operation).sealed;
  const to =
    (operation.range?.run.to ?? plannedCut(operation, goal)) - operation.survey.conversation.structure.start;
  return to > from ? { from, to } : undefined;
}

/** First message of the tail if a compaction were applied now. */
function plannedCut<M>({ engine, survey, filling }: Operation<M>, goal: number): number {
  const { settings } = engine;
  const { conversation } = survey;
  if (settings.strategy === "summarize-and-drop") return conversation.messages.length;
  const room = landingRoom(conversation, settings, { goal, fills: filling !== undefined });
  return landingTail(conversation, settings, room).from;
}

/** A record about rounds is there that the view doesn't show yet: it is used before another one is asked for. */
function hasFreshRounds<M>({ engine, survey }: Operation<M>): boolean {
  if (!engine.summarizer || !summarizesRounds(engine.settings)) return false;
  const { conversation, current, state } = survey;
  const records = roundRecords(state.summaries, conversation);
  return [...records].some(([from]) => isShown(current.fates[from]!));
}

/** What may be sent after the provider refused a view of `tokens` tokens (by our count). */
function rejectedLimit(rejected: FitInput<unknown>["rejected"], tokens: number, budget: number): number {
  if (typeof rejected === "object" && rejected.tokens > 0) {
    return Math.floor(((budget * tokens) / Math.max(rejected.tokens, tokens)) * REJECTED_MARGIN);
  }
  return Math.floor(tokens * REJECTED_SHARE);
}
