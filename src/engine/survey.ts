import { budgetOf, landing, startPressure } from "../core/budget.ts";
import { findCheckpoint, restoreDraft } from "../core/checkpoint.ts";
import { type Draft, isShown, keepAll } from "../core/draft.ts";
import { editableParts } from "../core/edits.ts";
import { readState } from "../core/state/read-state.ts";
import { mergeRecords, type Remembered } from "../core/state/remembered.ts";
import type { Budget, Checkpoint, Dialect, FitInput, Undo, Warning } from "../core/types.ts";
import { checkInput } from "./check-options.ts";
import {
  type Conversation,
  draftTokens,
  floorTokens,
  hasSystem,
  mustShow,
  newestSpeaks,
  readConversation,
} from "./conversation.ts";
import type { Engine } from "./engine.ts";
import { judge } from "./judge.ts";
import { withNeededReasoning } from "./needed-reasoning.ts";
import { mergeIntoSystem } from "./rungs/rung.ts";
import type { Settings } from "./settings.ts";
import { stateWarning } from "./state-warning.ts";

/** A checkpoint made for a smaller budget is left when the whole transcript is below this share of the present one. */
const LEAVE_BELOW = 0.65;
/** Even with a large last user message a compaction aims to leave this share of what is free beside it unused. */
const LEAST_LANDING_SHARE = 0.25;
/** A head above this share of the budget leaves too little for the conversation. */
const HEAVY_HEAD = 0.5;

/** Where a conversation stands: what it holds, which checkpoint fits it, and how full its current view is. */
export interface Survey<M> {
  /** Hash of the first message: names the conversation, forks included. */
  readonly name: string;
  readonly conversation: Conversation;
  readonly state: Remembered;
  readonly budget: Budget;
  readonly checkpoint: Checkpoint | undefined;
  /** There is a checkpoint, but its view of this transcript would break a post-condition. */
  readonly invalid: boolean;
  /** Undos of checkpoints that this transcript begins with. */
  readonly undos: readonly Undo[];
  readonly current: Draft;
  readonly tokens: number;
  readonly pressure: number;
  readonly startsAt: number;
  /** Tokens that a compaction aims at. */
  readonly goal: number;
  /** Leading system messages that the host lost. */
  readonly restored: readonly M[];
  readonly warnings: readonly Warning[];
}

/** Reads the transcript, finds its checkpoint by hash and measures the current view. */
export async function survey<M>(
  engine: Engine<M>,
  transcript: readonly M[],
  input: FitInput<M>,
  more: {
    /** Another budget for this call: tokens, or a share of the transcript. */
    readonly budget?: number | undefined;
    /** Look at the whole transcript as if nothing had been compacted. */
    readonly fresh?: boolean;
    /** Undos that aren't stored yet. */
    readonly undos?: readonly Undo[];
  } = {},
): Promise<Survey<M>> {
  checkInput(input);
  input.signal?.throwIfAborted();
  const { dialect, settings, textHash } = engine;
  const measure = await engine.measure();
  const tools = input.tools === undefined ? 0 : measure.tools(input.tools);
  const budgetFor = (head: number, total: number): Budget =>
    budgetOf({
      window: settings.window,
      budget: cap(settings, total, more.budget),
      reserve: settings.reserve,
      safety: settings.safety,
      tools,
      head,
    });
  const { seenMessages } = engine;
  const read = (restored: readonly M[]) =>
    readConversation({ dialect, transcript, input, measure, seenMessages, restored, budgetFor });
  let conversation = read([]);
  const { start } = conversation.structure;
  const reading = readState(input.state, { ...conversation, start, textHash });
  const given = reading.remembered;
  const restored = lostHead(dialect, conversation, given, input);
  if (restored.length > 0) conversation = read(restored);

  const { chain, structure, messages } = conversation;
  const found = await engine.records.find(chain.slice(1));
  const state = mergeRecords(mergeRecords(given, found), { undos: more.undos ?? [] });
  const unusable = stateWarning(input.state, reading, chain);
  const budget = budgetFor(conversation.head, conversation.total);
  const keyed = {
    checkpoints: state.checkpoints,
    chain,
    dialect: dialect.id,
    strategy: settings.strategy,
    textHash,
  };
  const undos = state.undos.filter((undo) =>
    findCheckpoint({
      ...keyed,
      checkpoints: state.checkpoints.filter(({ id }) => id === undo.checkpoint),
      undos: [],
    }),
  );
  let checkpoint = more.fresh ? undefined : findCheckpoint({ ...keyed, undos: state.undos });
  if (checkpoint && checkpoint.budget < budget.budget && conversation.total < LEAVE_BELOW * budget.budget) {
    checkpoint = undefined;
  }
  const restoredDraft = checkpoint && restoreDraft(checkpoint, messages, structure.start);
  const standing =
    restoredDraft &&
    withNeededReasoning(conversation, dialect.rules, mergeIntoSystem(restoredDraft, structure.start));
  // A pin, or a late result of a covered call, can make the view on an old checkpoint invalid: then it isn't used.
  const invalid =
    checkpoint !== undefined &&
    standing !== undefined &&
    (!stillStands(conversation, standing) ||
      // Messages were taken back: what the view ended with may be gone.
      (checkpoint.seen.messages > messages.length &&
        judge({
          dialect,
          transcript,
          system: input.system,
          conversation,
          draft: standing,
          tokens: 0,
          limit: 0,
        }).length > 0));
  const current = standing && !invalid ? standing : keepAll(messages.length);
  if (!standing || invalid) checkpoint = undefined;
  const tokens = draftTokens(
    conversation,
    current,
    checkpoint && engine.editTokens(measure, `${checkpoint.id} ${structure.start}`),
  );
  const fixed = conversation.head + conversation.apart.extras;
  const floor = floorTokens(conversation);
  const goal = Math.max(
    fixed + landing(budget.room, settings.landAt),
    floor + Math.floor((budget.budget - floor) * LEAST_LANDING_SHARE),
  );
  const name = chain[1] ?? chain[0]!;
  return {
    name,
    conversation,
    state,
    budget,
    checkpoint,
    invalid,
    undos,
    current,
    tokens,
    pressure: tokens / budget.budget,
    startsAt: startPressure({
      startAt: settings.startAt,
      budget: budget.budget,
      model: engine.summarizer !== undefined,
      conversation: name,
    }),
    goal: Math.min(goal, budget.budget),
    restored,
    warnings: [
      ...settings.warnings,
      ...found.warnings,
      ...surveyWarnings(conversation, budget, restored.length),
      ...(unusable ? [unusable] : []),
    ],
  };
}

/**
 * Is a view that was valid when it was made still valid for the longer transcript? Judging it anew on the wire would cost
 * more than everything else here; what newer messages and pins can break are head, last user message and rounds.
 */
function stillStands(conversation: Conversation, { fates }: Draft): boolean {
  const { structure, messages } = conversation;
  for (let index = 0; index < fates.length; index++) {
    const fate = fates[index]!;
    if (fate.type === "keep" || !mustShow(conversation, index)) continue;
    if (fate.type !== "edit") return false;
    const parts = editableParts(messages[index]!);
    const cut = fate.edits.some(
      (edit) => edit.type === "replace" && (conversation.isHead(index) || parts[edit.part]?.type === "text"),
    );
    if (cut) return false;
  }
  if (newestSpeaks(conversation) && !isShown(fates.at(-1)!)) return false;
  return structure.pairs.every(
    ({ call, result }) => isShown(fates[call.index]!) === isShown(fates[result.index]!),
  );
}

function cap(settings: Settings, total: number, budget: number | undefined): number | undefined {
  if (budget === undefined) return settings.budget;
  return budget <= 1 ? Math.floor(budget * total) : Math.floor(budget);
}

/**
 * A host that stored a view without its system prompt gets it back, if the state says that this very conversation had
 * one.
 */
function lostHead<M>(
  dialect: Dialect<M>,
  { structure, chain }: Conversation,
  state: Remembered,
  input: FitInput<M>,
): readonly M[] {
  const { head, last } = state;
  if (dialect.rules.system === "apart" || structure.start > 0 || hasSystem(input.system)) return [];
  if (!head || !last || last.length === 0 || chain[last.length] !== last.hash) return [];
  try {
    for (const message of head) if (dialect.read(message as M).role !== "system") return [];
  } catch {
    return [];
  }
  return head as readonly M[];
}

function surveyWarnings(conversation: Conversation, budget: Budget, restored: number): Warning[] {
  const warnings: Warning[] = [];
  if (conversation.head > HEAVY_HEAD * budget.budget) {
    warnings.push({
      code: "heavy-head",
      message: `System prompt, pins and knowledge take ${conversation.head} of ${budget.budget} tokens: compactions will come often.`,
    });
  }
  if (restored > 0) {
    warnings.push({
      code: "head-restored",
      message: "The system prompt was missing from the transcript and was restored from the state.",
    });
  }
  return warnings;
}
