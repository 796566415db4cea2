import { firstReserve, reserveByAnswers, sizesOf } from "../core/answers.ts";
import { budgetOf, startPressure } from "../core/budget.ts";
import { readState } from "../core/state/read-state.ts";
import { mergeRecords, type Remembered } from "../core/state/remembered.ts";
import type { Budget, FitInput, Measure, Undo, Warning } from "../core/types.ts";
import { createPause } from "../recall/pause.ts";
import { undosOf } from "./choose-checkpoint.ts";
import { type Conversation, draftTokens, floorTokens } from "./conversation.ts";
import { type CurrentView, currentView } from "./current-view.ts";
import type { Engine } from "./engine.ts";
import { afterRecords, withAnswers } from "./known-records.ts";
import { type LandingGoals, landingGoals } from "./landing-goals.ts";
import { lostHead } from "./lost-head.ts";
import { readConversation } from "./read-conversation.ts";
import { type Quoted, quotedBy } from "./recall/quotations.ts";
import { rememberedLimit, windowFor } from "./rejected.ts";
import { type Settings, USUAL_NARRATIVE } from "./settings.ts";
import { stateWarning } from "./state-warning.ts";
import { strategies } from "./strategies.ts";

/** A head above this share of the budget leaves too little for the conversation. */
const HEAVY_HEAD = 0.5;

/** Where a conversation stands: what it holds, which checkpoint fits it, and how full its current view is. */
export interface Survey<M> extends LandingGoals, CurrentView {
  /** Hash of the first message: names the conversation, forks included. */
  readonly name: string;
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
    textHash: engine.textHash,
    genuine: engine.genuine,
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
  const { measure, structure } = conversation;
  const shownAs = `${checkpoint.id} ${structure.start} ${unproven.has(checkpoint.id)}`;
  const bare = draftTokens(conversation, current, engine.editTokens(measure, shownAs));
  // Quotations stay until the next compaction, which is due where the view doesn't fit with them.
  const { rules } = engine.dialect;
  const quoted = quotedBy(checkpoint.id, recalled, conversation, rules, engine.recalledTexts);
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
  const { chain, structure } = sent;
  const reading = readState(given.state, {
    ...sent,
    start: structure.start,
    textHash: engine.textHash,
    keys: engine.stateKeys,
    genuine: engine.genuine,
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
        "Nothing can be compacted: every message before the newest turn is pinned. Unpin some of them, or choose a larger budget.",
    });
  } else if (conversation.head > HEAVY_HEAD * budget.budget) {
    warnings.push({
      code: "heavy-head",
      message: `System prompt, pins and knowledge take ${conversation.head} of ${budget.budget} tokens: compactions will come often.`,
    });
  }
  return warnings;
}
