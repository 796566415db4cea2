import { firstReserve, reserveByAnswers, sizesOf } from "../core/answers.ts";
import { budgetOf, startPressure } from "../core/budget.ts";
import { type Draft, keepAll } from "../core/draft.ts";
import { readState } from "../core/state/read-state.ts";
import { mergeRecords, type Remembered } from "../core/state/remembered.ts";
import type { Budget, Checkpoint, FitInput, Measure, Undo, Warning } from "../core/types.ts";
import { inSlices } from "../recall/in-slices.ts";
import { showsUnanswered } from "./amend.ts";
import { checkInput } from "./check-input.ts";
import { viewOfCheckpoint } from "./checkpoint-view.ts";
import { chooseCheckpoint, leave, undosOf } from "./choose-checkpoint.ts";
import {
  type Conversation,
  draftTokens,
  floorTokens,
  readConversation,
  wholeTokens,
} from "./conversation.ts";
import type { Engine } from "./engine.ts";
import { judge } from "./judge.ts";
import { afterRecords, withAnswers } from "./known-records.ts";
import { type LandingGoals, landingGoals } from "./landing-goals.ts";
import { lostHead } from "./lost-head.ts";
import { type Quoted, quotedBy } from "./recall/quotations.ts";
import { type Settings, USUAL_NARRATIVE } from "./settings.ts";
import { stateWarning } from "./state-warning.ts";
import { strategies } from "./strategies.ts";

/** A round fits with ease where the budget is this many times what must be shown: it isn't cut again at once. */
const WITH_EASE = 1.25;
/** A head above this share of the budget leaves too little for the conversation. */
const HEAVY_HEAD = 0.5;

/** Where a conversation stands: what it holds, which checkpoint fits it, and how full its current view is. */
export interface Survey<M> extends LandingGoals {
  /** Hash of the first message: names the conversation, forks included. */
  readonly name: string;
  readonly conversation: Conversation;
  readonly state: Remembered;
  readonly budget: Budget;
  /** Largest answer that the request asks for. */
  readonly maxAnswer: number | undefined;
  /** Tokens that views of this compactor may have, whatever this one operation asks for. */
  readonly ownBudget: number;
  readonly checkpoint: Checkpoint | undefined;
  /** There is a checkpoint, but its view of this transcript would break a post-condition. */
  readonly invalid: boolean;
  /** Undos by a person, of checkpoints that this transcript begins with. */
  readonly undos: readonly Undo[];
  /** Records of checkpoints that are left just now because the budget is larger; to be saved with the next view. */
  readonly left: readonly Undo[];
  /** Messages that the checkpoint hid or shortened and that are shown again: pins, the other half of a round. */
  readonly broughtBack: readonly number[];
  /** Nobody vouches for the checkpoint, and so it is shown otherwise than it was made. */
  readonly reworded: boolean;
  readonly current: Draft;
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

/** Reads the transcript, finds its checkpoint by hash and measures the current view. */
export async function takeSurvey<M>(
  engine: Engine<M>,
  transcript: readonly M[],
  given: FitInput<M>,
  more: {
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
  } = {},
): Promise<Survey<M>> {
  checkInput(given);
  given.signal?.throwIfAborted();
  const { dialect, settings, textHash, genuine } = engine;
  const measure = more.bounds ?? (await engine.measure());
  const tools = given.tools === undefined ? 0 : measure.tools(given.tools);
  const { window } = settings;
  const first = window === undefined ? undefined : firstReserve(window, given.maxAnswer);
  const budgetOfCap = (budgetCap: number | undefined, head: number, answer = first): Budget =>
    budgetOf({
      window,
      budget: budgetCap,
      reserve: settings.reserve,
      answer,
      safety: settings.safety,
      tools,
      head,
    });
  const budgetFor = (head: number, total: number) => budgetOfCap(cap(settings, total, more.budget), head);
  const { transcriptReader } = engine;
  const read = (input: FitInput<M>, restored: readonly M[]) =>
    readConversation({
      dialect,
      transcript,
      input,
      measure,
      transcriptReader,
      restored,
      keepsFirst: strategies[settings.strategy].keepsFirst === true,
      budgetFor,
    });
  let conversation = await inSlices(read(given, []), given.signal);
  const { start } = conversation.structure;
  const reading = readState(given.state, {
    ...conversation,
    start,
    textHash,
    keys: engine.stateKeys,
    genuine,
  });
  const found = await engine.records.find(conversation.chain.slice(1));
  const merged = mergeRecords(
    withAnswers(engine, mergeRecords(reading.remembered, found), conversation.chain, found.answers),
    { undos: more.undos ?? [] },
  );
  const lost = lostHead({ dialect, conversation, state: merged, found, input: given });
  const restored = lost?.messages ?? [];
  const input = lost?.system === undefined ? given : { ...given, system: lost.system };
  if (restored.length > 0 || input !== given)
    conversation = await inSlices(read(input, restored), given.signal);

  const { chain, structure, messages } = conversation;
  const unusable = stateWarning(given.state, reading, chain);
  const name = chain[1] ?? chain[0]!;
  // What checkpoints are compared by doesn't move with answers: a view must not change because they got shorter.
  const steady = budgetFor(conversation.head, conversation.total);
  const ownBudget = budgetOfCap(settings.budget, conversation.head).budget;
  const budget = budgetOfCap(
    cap(settings, conversation.total, more.budget),
    conversation.head,
    window === undefined
      ? undefined
      : reserveByAnswers({
          sizes: sizesOf(merged.answers, { hash: name, model: engine.modelName }),
          window,
          maxAnswer: given.maxAnswer,
          free: window - steady.tools - steady.safety - floorTokens(conversation),
          least: engine.summarizer ? Math.min(settings.summary.cap, USUAL_NARRATIVE) : 0,
        }),
  );
  const startsAt = startPressure({
    startAt: settings.startAt,
    budget: budget.budget,
    model: engine.summarizer !== undefined,
    conversation: name,
    floor: floorTokens(conversation),
  });
  const recordAt = afterRecords(more.now ?? Date.now(), merged);
  const choice = {
    state: merged,
    chain,
    dialect: dialect.id,
    strategy: settings.strategy,
    textHash,
    genuine,
    budget: steady.budget,
    total: conversation.total,
    startsAt,
    recordAt,
  };
  const choose = more.fresh ? NO_CHECKPOINT : chooseCheckpoint(choice);
  const chosen = choose.checkpoint;
  const isUnproven = chosen !== undefined && merged.unproven.has(chosen.id);
  const view = chosen && viewOfCheckpoint(chosen, conversation, dialect, isUnproven);
  // The model asked for its newest results and has never seen them: a view that was made for less room may not keep them from it.
  const isTooNarrow =
    chosen !== undefined &&
    view !== undefined &&
    wholeTokens(conversation) * WITH_EASE <= budget.budget &&
    !showsUnanswered(conversation, view.draft);
  const left = chosen && isTooNarrow ? [...choose.left, leave(chosen, choice)] : choose.left;
  const state = left.length > 0 ? mergeRecords(merged, { undos: left }) : merged;
  const invalid =
    chosen !== undefined &&
    view !== undefined &&
    (isTooNarrow ||
      // What the view ended with may have been taken back, or what must be shown by now may not go with the rest; or
      // nobody vouches for the view.
      ((view.shown.length > 0 || chosen.seen.messages > messages.length || isUnproven) &&
        judge({
          dialect,
          transcript,
          system: input.system,
          conversation,
          draft: view.draft,
          tokens: 0,
          limit: 0,
        }).length > 0));
  const checkpoint = view && !invalid ? chosen : undefined;
  const broughtBack = view && checkpoint ? view.shown : [];
  const current = view && checkpoint ? view.draft : keepAll(messages.length);
  // From the own store: what it wrote may come back in a transcript. What a host hands in is no proof.
  if (checkpoint && found.checkpoints.some(({ id }) => id === checkpoint.id))
    for (const { message } of current.inserts) engine.writtenTexts.add(message.text);
  const bare = draftTokens(
    conversation,
    current,
    checkpoint && engine.editTokens(measure, `${checkpoint.id} ${structure.start} ${isUnproven}`),
  );
  // They stay until the next compaction, which is due where the view doesn't fit with them.
  const quoted = checkpoint
    ? quotedBy(checkpoint.id, merged.recalled, conversation, dialect.rules, engine.recalledTexts)
    : [];
  const tokens = quoted.reduce((sum, one) => sum + one.tokens, bare);
  return {
    name,
    conversation,
    state,
    budget,
    maxAnswer: given.maxAnswer,
    ownBudget,
    checkpoint,
    invalid,
    undos: undosOf(choice),
    left,
    broughtBack,
    reworded: view !== undefined && checkpoint !== undefined && view.reworded,
    current,
    quoted,
    keepsRecalled: found.recalled !== undefined || (given.state !== undefined && given.state !== null),
    tokens,
    pressure: tokens / budget.budget,
    startsAt,
    ...landingGoals(conversation, budget, settings, startsAt),
    system: input.system,
    restored,
    warnings: [
      ...settings.warnings,
      ...found.warnings,
      ...surveyWarnings(conversation, budget, tokens / budget.budget >= startsAt),
      ...(lost ? [lost.warning] : []),
      ...(unusable ? [unusable] : []),
    ],
    bounded: more.bounds !== undefined,
    recordAt,
  };
}

const NO_CHECKPOINT = { checkpoint: undefined, left: [] };
function cap(settings: Settings, total: number, budget: number | undefined): number | undefined {
  if (budget === undefined) return settings.budget;
  return budget <= 1 ? Math.floor(budget * total) : Math.floor(budget);
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
