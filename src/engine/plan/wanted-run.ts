import { isShown } from "../../core/draft.ts";
import { shifted, type Unit } from "../../core/rounds.ts";
import type { Run, Summary, Warning } from "../../core/types.ts";
import {
  type Conversation,
  fixedTokens,
  floorTokens,
  hiddenEnd,
  mustShow,
  tokensIn,
  unansweredTokens,
} from "../read/conversation.ts";
import { isCrowded } from "../read/limits.ts";
import type { Operation } from "../read/survey.ts";
import { type Settings, strategies, usesSummaries } from "../settings/settings.ts";
import {
  isAboutRounds,
  LEAST_RECORD,
  LEAST_SENTENCES,
  type Narrative,
  narrativeOf,
  shareOf,
} from "./narrative.ts";
import { chooseTail, landingRoom, landingTail, newestUnit, tailFrom } from "./tail.ts";

/** A summary that became ready is applied from this pressure on; below it is kept for later. */
export const APPLY_FROM = 0.65;

/** All records that fit the transcript so far, or those of the range that is to be hidden. */
export function narrativeFor<M>({ survey, range }: Operation<M>): Narrative {
  const { chain, structure } = survey.conversation;
  const { from, to } = range ? shifted(range.run, -structure.start) : { from: 0, to: chain.length - 1 };
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

/**
 * Where the tail of the view begins if code alone spoke for what it hides, because the model's summary wasn't there, and it is there
 * now. What a person had hidden stays as it is.
 */
export function lateCut<M>({ engine, survey }: Operation<M>): number | undefined {
  const { conversation, current, checkpoint, state } = survey;
  const { start } = conversation.structure;
  if (checkpoint?.rung !== "extractive" || checkpoint.reason === "forced") return undefined;
  if (!strategies[engine.settings.strategy].steps.includes("summarize")) return undefined;
  const hidden = hiddenEnd(conversation, current.fates);
  const { sealed } = narrativeOf(state.summaries, conversation.chain, hidden);
  return sealed > checkpoint.sealed ? start + hidden : undefined;
}

/** The run that a model has not summarised yet, up to where the tail would begin now. */
export function wantedRun<M>(operation: Operation<M>, goal: number): Run | undefined {
  const { engine, survey } = operation;
  if (!engine.summarizer || !usesSummaries(engine.settings.strategy) || !canBeShown(operation))
    return undefined;
  if (speaksOfRounds(operation)) {
    // Its question would stand behind the whole conversation: it can't be asked about some rounds alone.
    if (engine.settings.summary.mode === "continuation") return undefined;
    const { conversation } = survey;
    const to = roundsEnd(conversation, engine.settings, goal);
    const runs = unsealedRounds(operation, { to });
    const { start } = conversation.structure;
    return runs[0] && { from: runs[0].from - start, to: runs.at(-1)!.to - start };
  }
  const { conversation } = survey;
  const { start } = conversation.structure;
  const from = narrativeFor(operation).sealed;
  let to = (operation.range?.run.to ?? plannedCut(operation, goal)) - start;
  // What stays behind all that is hidden may be worded anew: a summary that tells of it would be lost with it.
  while (to > from && mustShow(conversation, start + to - 1)) to--;
  return to > from ? { from, to } : undefined;
}

/** First message of the tail if a compaction were applied now. */
function plannedCut<M>({ engine, survey, filling }: Operation<M>, goal: number): number {
  const { settings } = engine;
  const { conversation } = survey;
  if (settings.strategy === "summarize-and-drop") return conversation.messages.length;
  const limit = survey.budget.budget;
  const room = landingRoom(conversation, settings, { goal, fills: filling !== undefined, limit });
  return landingTail(conversation, settings, room).from;
}

/** A record about rounds is there that the view doesn't show yet: it is used before another one is asked for. */
export function hasFreshRounds<M>({ engine, survey }: Operation<M>): boolean {
  if (!engine.summarizer || !summarizesRounds(engine.settings)) return false;
  const { conversation, current, state } = survey;
  const records = roundRecords(state.summaries, conversation);
  return [...records].some(([from]) => isShown(current.fates[from]!));
}

/** What a compaction that comes later will need a summary of. Without a tail it would be everything, and the end changes. */
export function aheadRun<M>(operation: Operation<M>, goal: number): Run | undefined {
  const { settings } = operation.engine;
  if (!usesSummaries(settings.strategy) || settings.strategy === "summarize-and-drop") return undefined;
  if (readyCut(operation, goal) !== undefined || hasFreshRounds(operation)) return undefined;
  const run = wantedRun(operation, goal);
  return run && isWorthAsking(operation, run) ? run : undefined;
}

/** A request for a summary brings a thousand tokens of its own: it should read several times as much (tokens). */
const LEAST_SOURCE = 6_000;
/** The same where messages are counted, whatever the pressure is (tokens). */
const LEAST_COUNTED = 2_000;
/** In rooms so small that this never comes together before much of it is hidden, it is this share of the room … */
const SMALL_ROOM_SHARE = 0.75;
/** … and in large ones a small rest of what a summary didn't reach waits for the next compaction, too. */
const LARGE_ROOM_SHARE = 0.25;
/** The first record of a conversation is worth more than the next line of it: this share of all that is enough. */
const FIRST_SHARE = 0.5;

/**
 * Is a run large enough to be summarised by itself? What isn't stands unsealed for a while: lines chosen by code speak
 * for it, and the model reads it together with what comes next (docs/decisions/0013).
 */
export function isWorthAsking<M>(
  operation: Operation<M>,
  run: Run,
  /** Somebody asked for it, messages are counted, or the view is nearly full. */
  why: "hand" | "count" | "pressure" = "pressure",
): boolean {
  const { conversation } = operation.survey;
  const { settings } = operation.engine;
  // Without a tail the summary has its share, too, and every run needs one: nothing else is left of it.
  const keepsNoTail = settings.strategy === "summarize-and-drop";
  if (summarizesRounds(settings) || (why !== "hand" && keepsNoTail)) return true;
  return (
    tokensIn(conversation, shifted(run, conversation.structure.start)) >= leastSource(operation, run, why)
  );
}

/**
 * Tokens that a run must have. A few words are no longer than their summary. A compaction by count comes long before the budget is full,
 * and often: a request for each turn that leaves would cost more than all the turns.
 */
function leastSource<M>({ survey }: Operation<M>, { from }: Run, why: "hand" | "count" | "pressure"): number {
  if (why === "hand" || (why === "count" && from === 0)) return LEAST_RECORD;
  if (why === "count") return LEAST_COUNTED;
  const { room } = survey.budget;
  const usual = Math.max(room * LARGE_ROOM_SHARE, Math.min(LEAST_SOURCE, room * SMALL_ROOM_SHARE));
  return from === 0 ? usual * FIRST_SHARE : usual;
}

/** Is there room for what the model would write? If not, nobody would ever read it. */
function canBeShown<M>(operation: Operation<M>): boolean {
  const { settings } = operation.engine;
  if (summarizesRounds(settings)) return true;
  const { conversation, budget } = operation.survey;
  const least = isCrowded(conversation, budget) ? LEAST_SENTENCES : LEAST_RECORD;
  return shareOf(operation) >= Math.min(least, settings.summary.cap);
}

/** Tells a host that has a summariser why it isn't asked. */
export function noRoomWarning<M>(operation: Operation<M>): Warning | undefined {
  const { summarizer, settings } = operation.engine;
  if (!summarizer || !usesSummaries(settings.strategy)) return undefined;
  const { conversation, budget } = operation.survey;
  const left = Math.max(0, budget.budget - floorTokens(conversation));
  if (canBeShown(operation)) {
    const share = shareOf(operation);
    const written = narrativeFor(operation).records.reduce((sum, { tokens }) => sum + tokens.text, 0);
    if (!isCrowded(conversation, budget) || written <= share) return undefined;
    return {
      code: "no-room-for-summaries",
      message: `The system prompt, pins and last user message leave ${left} of ${budget.budget} tokens, so the model's summary (${written} tokens) is shortened to the most important ${share} tokens.`,
    };
  }
  return {
    code: "no-room-for-summaries",
    message: `The system prompt, pins and last user message leave ${left} of ${budget.budget} tokens, too few for a summary by a model. Lines chosen by code are used instead.`,
  };
}

/** What the line about one call keeps of its arguments and of its result (tokens). */
export const ARGS_TOKENS = 40;
export const RESULT_TOKENS = 80;

/** Does the strategy put summaries in the place of finished rounds, and nothing else? */
export const summarizesRounds = ({ strategy }: Pick<Settings, "strategy">): boolean =>
  strategies[strategy].steps.includes("summarize-rounds");

/** First message of the tail that `tool-summaries` leaves alone. */
export function roundsEnd(conversation: Conversation, settings: Settings, goal: number): number {
  return chooseTail(conversation, {
    tail: settings.tail,
    limit: settings.tail.tokens ?? Math.floor((goal - fixedTokens(conversation)) * settings.tail.share),
    soft: false,
  }).from;
}

/** Runs of finished rounds that end at or before a message (absolute index), each as its units, oldest first. */
export function roundRuns(conversation: Conversation, end: number): Unit[][] {
  const { units, start } = conversation.structure;
  const runs: Unit[][] = [];
  let open: Unit[] = [];
  for (const unit of units) {
    const belongs = unit.from >= start && unit.to <= end && isCompleted(conversation, unit);
    if (belongs) open.push(unit);
    if (!belongs || unit === units.at(-1)) {
      if (open.length > 0) runs.push(open);
      open = [];
    }
  }
  return runs;
}

function isCompleted(conversation: Conversation, unit: Unit): boolean {
  if (unit.kind !== "round" || unit.open) return false;
  for (let index = unit.from; index < unit.to; index++) if (mustShow(conversation, index)) return false;
  return true;
}

/** The records about rounds that fit this transcript, by the message (absolute index) that they begin at. */
export function roundRecords(
  summaries: readonly Summary[],
  { chain, structure }: Conversation,
): ReadonlyMap<number, Summary> {
  const records = new Map<number, Summary>();
  for (const one of summaries) {
    if (!isAboutRounds(one) || one.text === "" || chain[one.covers.to] !== one.hash) continue;
    const from = structure.start + one.covers.from;
    const known = records.get(from);
    if (!known || one.covers.to > known.covers.to || (one.covers.to === known.covers.to && one.at > known.at))
      records.set(from, one);
  }
  return records;
}

/** A record that speaks for whole units at the front of these, with what is left of them. */
export function recordFor(
  units: readonly Unit[],
  records: ReadonlyMap<number, Summary>,
  start: number,
): { readonly record: Summary; readonly units: readonly Unit[]; readonly rest: readonly Unit[] } | undefined {
  const record = records.get(units[0]?.from ?? -1);
  const end = record && start + record.covers.to;
  const last = units.findIndex((unit) => unit.to === end);
  if (!record || last < 0) return undefined;
  return { record, units: units.slice(0, last + 1), rest: units.slice(last + 1) };
}

/** Shorter runs aren't worth a request: lines by code are as good (tokens). */
const LEAST_RUN = 400;
/** One compaction asks for so many at most, the longest. */
const MOST_RUNS = 4;

/** The stretches of rounds that no record speaks for yet and a model should be asked about (absolute indexes). */
export function unsealedRounds<M>(
  { survey: { conversation, state } }: Operation<M>,
  bounds: { readonly from?: number; readonly to: number },
): Run[] {
  const { start } = conversation.structure;
  const records = roundRecords(state.summaries, conversation);
  const found: { readonly run: Run; readonly tokens: number }[] = [];
  for (const run of roundRuns(conversation, bounds.to)) {
    let rest: readonly Unit[] = run;
    for (let sealed = recordFor(rest, records, start); sealed; sealed = recordFor(rest, records, start))
      rest = sealed.rest;
    const [first] = rest;
    if (!first || first.from < (bounds.from ?? 0)) continue;
    const own = { from: first.from, to: rest.at(-1)!.to };
    const tokens = tokensIn(conversation, own);
    if (tokens >= LEAST_RUN) found.push({ run: own, tokens });
  }
  return found
    .sort((a, b) => b.tokens - a.tokens)
    .slice(0, MOST_RUNS)
    .map(({ run }) => run)
    .sort((a, b) => a.from - b.from);
}
