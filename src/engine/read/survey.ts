import {
  budgetOf,
  firstReserve,
  mergeSizes,
  reserveByAnswers,
  sizesOf,
  startPressure,
  surelyFitting,
} from "../../core/budget.ts";
import { forgetOldest } from "../../core/collections.ts";
import { systemMessage } from "../../core/draft.ts";
import type { Pause } from "../../core/pause.ts";
import {
  mergeRecords,
  type Remembered,
  readAnswers,
  readState,
  type StateReading,
} from "../../core/state/read-state.ts";
import type { AnswerSizes, Budget, FitInput, Measure, Undo, Warning } from "../../core/types.ts";
import { createPause } from "../../recall/pause.ts";
import { loadFrame } from "../../summaries/frames/frames.ts";
import { languageOf } from "../../summaries/frames/language.ts";
import type { ChosenRange } from "../compact.ts";
import type { Engine } from "../engine.ts";
import { type Settings, strategies, USUAL_NARRATIVE } from "../settings/settings.ts";
import { type CurrentView, currentView, undosOf } from "./checkpoint-view.ts";
import { type Conversation, draftTokens, floorTokens, hasSystem } from "./conversation.ts";
import { type LandingGoals, landingGoals, rememberedLimit, windowFor } from "./limits.ts";
import { type Quoted, quotedBy } from "./quotations.ts";
import { lostHead, readConversation } from "./read-conversation.ts";

/** A head above this share of the budget leaves too little for the conversation. */
const HEAVY_HEAD = 0.5;

/** Where a conversation stands: what it holds, which checkpoint fits it, and how full its current view is. */
export interface Survey<M> extends LandingGoals, CurrentView {
  /** Hash of the first message: names the conversation, forks included. */
  readonly name: string;
  /** Tells it from others that begin alike: by its first answer and what follows it, as soon as they are there. */
  readonly chat: string;
  readonly conversation: Conversation;
  readonly state: Remembered;
  readonly budget: Budget;
  /** Largest answer that the request asks for. */
  readonly maxAnswer: number | undefined;
  /** Tokens that views of this compactor may have, whatever this one operation asks for. */
  readonly ownBudget: number;
  /** Undos by a person, of checkpoints that this transcript begins with. */
  readonly undos: readonly Undo[];
  /** What the current view quotes for user messages; `current` is without it, so that a compaction leaves it behind. */
  readonly quoted: readonly Quoted[];
  /** Recalled passages can be kept: the store keeps them, or the host hands states back. */
  readonly keepsRecalled: boolean;
  /** Of the current view with what it quotes. */
  readonly tokens: number;
  readonly pressure: number;
  readonly startsAt: number;
  /** The system prompt that the host lost, in a format that keeps it apart; otherwise the one that it gave. */
  readonly system: unknown;
  /** Leading system messages that the host lost. */
  readonly restored: readonly M[];
  readonly warnings: readonly Warning[];
  /** Tokens are upper bounds: the request is short, and the tokenizer wasn't loaded for it. */
  readonly bounded: boolean;
  /** When a record of this operation counts as made: later than every other of the conversation, even if the clock was set back. */
  readonly recordAt: number;
}

/** How a survey differs from the usual one. */
export interface SurveyOptions {
  /** Another budget for this operation: tokens, or a share of the transcript. */
  readonly budget?: number | undefined;
  /** Look at the whole transcript as if nothing had been compacted. */
  readonly fresh?: boolean;
  /** Undos that aren't stored yet. */
  readonly undos?: readonly Undo[];
  /** Milliseconds; the clock's time where it is left out. */
  readonly now?: number;
  /** What tokens are counted with. Left out: exactly. */
  readonly bounds?: Measure | undefined;
}

/** Reads the transcript, finds its checkpoint by hash and measures the current view. */
export async function takeSurvey<M>(
  engine: Engine<M>,
  transcript: readonly M[],
  given: FitInput<M>,
  more: SurveyOptions = {},
): Promise<Survey<M>> {
  given.signal?.throwIfAborted();
  const { dialect, settings } = engine;
  const { limits, conversation, merged, found, ...read } = await readAll(engine, transcript, given, more);
  const { steadyBudget, ...own } = limits;
  const recordAt = afterRecords(more.now ?? Date.now(), merged);
  const choice = {
    state: merged,
    chain: conversation.chain,
    dialect: dialect.id,
    strategy: settings.strategy,
    budget: steadyBudget,
    total: conversation.total,
    startsAt: own.startsAt,
    recordAt,
  };
  const whole = { dialect, transcript, system: read.system, conversation };
  const standing = currentView(choice, whole, own.budget.budget, more.fresh === true);
  const { checkpoint, current, left } = standing;
  // From the own store: what it wrote may come back in a transcript. What a host hands in is no proof.
  if (checkpoint && found.checkpoints.some(({ id }) => id === checkpoint.id))
    for (const { message } of current.inserts) engine.writtenTexts.add(message.text);
  const { quoted, tokens } = measureView(engine, conversation, standing, merged);
  const pressure = tokens / own.budget.budget;
  return {
    ...own,
    chat: chatOf(conversation),
    conversation,
    state: left.length > 0 ? mergeRecords(merged, { undos: left }) : merged,
    maxAnswer: given.maxAnswer,
    ...standing,
    undos: undosOf(choice),
    quoted,
    keepsRecalled: found.recalled !== undefined || (given.state !== undefined && given.state !== null),
    tokens,
    pressure,
    ...landingGoals(conversation, own.budget, settings, own.startsAt),
    ...read,
    warnings: [
      ...settings.warnings,
      ...found.warnings,
      ...surveyWarnings(conversation, own.budget, pressure >= own.startsAt),
      ...read.warnings,
    ],
    bounded: more.bounds !== undefined,
    recordAt,
  };
}

function chatOf({ chain, messages, structure: { start } }: Conversation): string {
  const answer = messages.findIndex(({ role }, index) => index >= start && role === "assistant");
  return (answer < 0 ? undefined : chain[answer - start + 2]) ?? chain[1] ?? chain[0]!;
}

/** The name of a conversation, what its views may have, and from when on a compaction is due. */
function limitsOf<M>(
  { settings, summarizer, modelName }: Engine<M>,
  input: FitInput<M>,
  budgets: ReturnType<typeof budgetsOf>,
  conversation: Conversation,
  remembered: Remembered,
  now: number,
) {
  const { startAt, summary } = settings;
  const { chain, head, total } = conversation;
  const window = windowFor(settings.window, input);
  const name = chain[1] ?? chain[0]!;
  const floor = floorTokens(conversation);
  const own = budgets.own(head).budget;
  const limit = rememberedLimit(remembered, chain, now, own, floor);
  const steady = budgets.asked(head, total, limit);
  const reserve =
    window === undefined
      ? undefined
      : reserveByAnswers({
          sizes: sizesOf(remembered.answers, { hash: name, model: modelName }),
          window,
          maxAnswer: input.maxAnswer,
          free: window - steady.tools - steady.safety - floor,
          least: summarizer ? Math.min(summary.cap, USUAL_NARRATIVE) : 0,
        });
  const budget = budgets.asked(head, total, limit, reserve);
  const model = summarizer !== undefined;
  return {
    name,
    budget,
    /** What checkpoints are compared by doesn't move with answers: a view must not change because they got shorter. */
    steadyBudget: steady.budget,
    ownBudget: own,
    startsAt: startPressure({ startAt, budget: budget.budget, model, conversation: name, floor }),
  };
}

/** What the current view quotes for user messages, and the tokens of both. */
function measureView<M>(
  engine: Engine<M>,
  conversation: Conversation,
  { checkpoint, current }: CurrentView,
  { unproven, recalled }: Remembered,
): Pick<Survey<M>, "quoted" | "tokens"> {
  if (!checkpoint) return { quoted: [], tokens: draftTokens(conversation, current) };
  const { structure } = conversation;
  const shownAs = `${checkpoint.id} ${structure.start} ${unproven.has(checkpoint.id)}`;
  const bare = draftTokens(conversation, current, shownAs);
  // Quotations stay until the next compaction, which is due where the view doesn't fit with them.
  const { rules } = engine.dialect;
  const quoted = quotedBy(checkpoint.id, recalled, conversation, rules);
  return { quoted, tokens: quoted.reduce((sum, one) => sum + one.tokens, bare) };
}

/** The budgets of one operation: they differ in their cap, and in what is kept free for the answer. */
function budgetsOf<M>(
  { window, budget, reserve, safety }: Settings,
  input: FitInput<M>,
  measure: Measure,
  /** Another budget for this operation, in tokens or as a share of the transcript. */
  asked: number | undefined,
) {
  const tools = input.tools === undefined ? 0 : measure.tools(input.tools);
  const of = (
    window: number | undefined,
    cap: number | undefined,
    head: number,
    answer = window === undefined ? undefined : firstReserve(window, input.maxAnswer),
  ): Budget => budgetOf({ window, budget: cap, reserve, answer, safety, tools, head });
  return {
    /** What the compactor allows, whatever this operation asks for. */
    own: (head: number) => of(window, budget, head),
    asked(head: number, total: number, limit = Number.POSITIVE_INFINITY, answer?: number) {
      const cap = asked === undefined ? budget : Math.floor(asked <= 1 ? asked * total : asked);
      const most = asked === undefined ? Math.min(limit, cap ?? limit) : cap;
      return of(windowFor(window, input), most === Number.POSITIVE_INFINITY ? undefined : most, head, answer);
    },
  };
}

/** Reads the transcript and what is remembered of it. A head that the host lost is put back. */
async function readAll<M>(
  engine: Engine<M>,
  transcript: readonly M[],
  given: FitInput<M>,
  { bounds, budget, undos = [], now = Date.now() }: SurveyOptions,
) {
  const { dialect, settings, transcriptReader } = engine;
  const measure = bounds ?? (await engine.measure());
  const budgets = budgetsOf(settings, given, measure, budget);
  const keepsFirst = strategies[settings.strategy].keepsFirst === true;
  const usual = { dialect, transcript, measure, transcriptReader, keepsFirst, budgetFor: budgets.asked };
  const pause = createPause(given.signal);
  const read = (input: FitInput<M>, restored: readonly M[]) =>
    readConversation({ ...usual, input, restored }, pause);
  const sent = await read(given, []);
  // Summary messages that come back are recognised by their frame, so it is needed before any is looked at.
  await loadFrame(languageOf(sent.messages));
  const { chain, structure } = sent;
  const reading = readState(given.state, {
    ...sent,
    start: structure.start,
    keys: engine.stateKeys,
  });
  const found = await engine.records.find(chain.slice(1));
  const merged = mergeRecords(
    withAnswers(engine, mergeRecords(reading.remembered, found), chain, found.answers),
    { undos },
  );
  const lost = lostHead({ dialect, conversation: sent, state: merged, found, input: given });
  const restored = lost?.messages ?? [];
  const input = lost?.system === undefined ? given : { ...given, system: lost.system };
  const isWhole = restored.length === 0 && input === given;
  const conversation = isWhole ? sent : await read(input, restored);
  const unusable = stateWarning(given.state, reading, conversation.chain);
  const warnings = [...(lost ? [lost.warning] : []), ...(unusable ? [unusable] : [])];
  const limits = limitsOf(engine, given, budgets, conversation, merged, now);
  return { limits, conversation, merged, found, system: input.system, restored, warnings };
}

/** Is everything that a compaction could hide shown in every view because somebody pinned it? */
function isAllPinned({ messages, structure, isHead }: Conversation): boolean {
  const { start, lastUser = messages.length } = structure;
  if (lastUser <= start) return false;
  for (let index = start; index < lastUser; index++) if (!isHead(index)) return false;
  return true;
}

function surveyWarnings(conversation: Conversation, budget: Budget, isDue: boolean): Warning[] {
  const warnings: Warning[] = [];
  if (isDue && isAllPinned(conversation)) {
    warnings.push({
      code: "all-pinned",
      message:
        "Nothing can be compacted: every message before the newest turn is pinned. Unpin some, or choose a larger budget.",
    });
  } else if (conversation.head > HEAVY_HEAD * budget.budget) {
    warnings.push({
      code: "heavy-head",
      message: `System prompt, pins and knowledge take ${conversation.head} of ${budget.budget} tokens, so compactions will be frequent.`,
    });
  }
  return warnings;
}

/** With what the compactor's model took for its answers: by the state, by the store and as was seen here. */
function withAnswers<M>(
  { answers, modelName: model }: Engine<M>,
  remembered: Remembered,
  chain: readonly string[],
  stored: readonly AnswerSizes[] = [],
): Remembered {
  const hash = chain[1];
  if (hash === undefined) return remembered;
  const of = { hash, model };
  const own = readAnswers(
    stored.filter((one) => one.model === model),
    hash,
  );
  // What a state says is for its own host: nobody vouches for it, so it is neither remembered nor stored for others.
  const said = sizesOf(remembered.answers, of);
  const sizes = mergeSizes(said, answers.learn({ ...of, sizes: sizesOf(own, of) }));
  if (sizes.length === 0) return remembered;
  const others = remembered.answers.filter((one) => one.model !== model);
  return { ...remembered, answers: [...others, { ...of, sizes }] };
}

/** A time that no clock shows: a record that claims it is foreign, and the order of the others doesn't follow it. */
const LATEST_TIME = 8.64e15;

/** Records are ordered by their times: a clock that was set back must not make a new record older than those before it. */
function afterRecords(
  now: number,
  { checkpoints, undos }: Pick<Remembered, "checkpoints" | "undos">,
): number {
  let latest = now;
  for (const { at } of [...checkpoints, ...undos]) if (at >= latest && at < LATEST_TIME) latest = at + 1;
  return latest;
}

/** Why a state that the host handed back is of no use, in whole or in part. It is ignored, never believed. */
function stateWarning(
  given: unknown,
  { usable, damaged, remembered }: StateReading,
  chain: readonly string[],
): Warning | undefined {
  // Null stands for "left out" as well: a host reads it from its database.
  if (given === undefined || given === null) return undefined;
  if (usable === "unknown")
    return {
      code: "state-unusable",
      message: "State ignored: precis didn't write it, or its version isn't supported.",
    };
  if (usable === "unsigned")
    return {
      code: "state-unsigned",
      message: "State ignored: it isn't signed with a key in `stateKey`, or was changed after signing.",
    };
  if (damaged > 0)
    return {
      code: "state-damaged",
      message: `${damaged === 1 ? "One record" : `${damaged} records`} in the given state ${damaged === 1 ? "was" : "were"} damaged or changed, and ${damaged === 1 ? "is" : "are"} ignored. Store states unchanged.`,
    };
  return fits(remembered, chain)
    ? undefined
    : {
        code: "state-foreign",
        message:
          "State ignored: nothing in it belongs to this transcript. It is from another conversation, or the beginning was edited.",
      };
}

/** An empty state fits every transcript. */
function fits({ checkpoints, elsewhere, summaries, last }: Remembered, chain: readonly string[]): boolean {
  const isEmpty =
    checkpoints.length === 0 && elsewhere.length === 0 && summaries.length === 0 && last === undefined;
  return (
    isEmpty ||
    checkpoints.length > 0 ||
    summaries.some((one) => chain[one.covers.to] === one.hash) ||
    (last !== undefined && chain[last.length] === last.hash)
  );
}

/**
 * The measure for a request that is so short that nothing can be due, whatever its exact count is: a bound shows it, and the
 * tokenizer needn't be loaded. Undefined where the exact count may matter.
 */
export function measureOfShort<M>(
  engine: Engine<M>,
  transcript: readonly M[],
  input: FitInput<M>,
): Measure | undefined {
  const measure = engine.bounds();
  if (!measure || input.rejected) return undefined;
  try {
    return isSurelySmall(engine, transcript, input, measure) ? measure : undefined;
  } catch {
    // What is wrong with the request is said by whoever reads it for good.
    return undefined;
  }
}

function isSurelySmall<M>(
  { dialect, settings }: Engine<M>,
  transcript: readonly M[],
  input: FitInput<M>,
  measure: Measure,
): boolean {
  const window = windowFor(settings.window, input);
  const limit = surelyFitting({ ...settings, window, maxAnswer: input.maxAnswer });
  let tokens = input.tools === undefined ? 0 : measure.tools(input.tools);
  for (const message of parts(input, transcript)) {
    if (tokens >= limit) return false;
    tokens += measure.message(dialect.read(message));
  }
  return tokens < limit;
}

/** Everything of a request that has messages. */
function* parts<M>({ system, extras = [] }: FitInput<M>, transcript: readonly M[]): Iterable<M> {
  if (hasSystem(system)) yield systemMessage<M>(system);
  yield* extras;
  yield* transcript;
}

/** Remembers a count that was told as a bound. */
export function noteBound<M>({ reportedBounds }: Engine<M>, tokens: number): void {
  reportedBounds.add(tokens);
  forgetOldest(reportedBounds);
}

/** One use of a compactor (a `fit`, a `compact`, an `undo` …): what it was given, and the survey that it works on. */
export interface Operation<M> {
  readonly engine: Engine<M>;
  readonly transcript: readonly M[];
  readonly input: FitInput<M> & { readonly focus?: string };
  readonly survey: Survey<M>;
  readonly now: number;
  /** Long work stops here now and then. */
  readonly pause: Pause;
  /** Summaries are asked for anew, whatever is known. */
  readonly anew?: boolean;
  /** The view is to fill a budget of so many tokens, for this operation alone. */
  readonly filling?: number;
  /** The messages that a person chose to hide. */
  readonly range?: ChosenRange;
}

/** Takes the survey of a transcript, for one use of a compactor. */
export async function beginOperation<M>(
  engine: Engine<M>,
  transcript: readonly M[],
  input: Operation<M>["input"],
  more: SurveyOptions = {},
): Promise<Operation<M>> {
  const now = input.now ?? Date.now();
  const survey = await takeSurvey(engine, transcript, input, { ...more, now });
  return {
    engine,
    transcript,
    input: { ...input, system: survey.system },
    now,
    survey,
    pause: createPause(input.signal),
  };
}
