import { findCheckpoint, type GenuineCheckpoints } from "../../core/checkpoint.ts";
import { type Draft, entriesOf, keepAll } from "../../core/draft.ts";
import { breachesOf } from "../../core/invariants.ts";
import { renderView } from "../../core/render.ts";
import type { Remembered } from "../../core/state/read-state.ts";
import type { Checkpoint, Dialect, Undo } from "../../core/types.ts";
import { showsUnanswered, viewOfCheckpoint } from "./checkpoint-view.ts";
import { type Conversation, recordOfLong, wholeTokens } from "./conversation.ts";

/** A checkpoint made for a smaller budget is left when the whole transcript is below this share of the present one. */
export const LEAVE_BELOW = 0.65;
/** A budget is larger if a larger model was chosen. One that moved a little, because tools or answers changed, is not. */
export const LARGER_BUDGET = 1.25;

/** What a checkpoint is chosen by. */
export interface CheckpointChoice {
  readonly state: Pick<Remembered, "checkpoints" | "undos" | "last" | "branches">;
  readonly chain: readonly string[];
  readonly dialect: string;
  readonly strategy: string;
  readonly textHash: (text: string) => string;
  readonly genuine: GenuineCheckpoints;
  /** Tokens that the present view may have. */
  readonly budget: number;
  /** Tokens of the whole transcript. */
  readonly total: number;
  /** Pressure from which on a compaction is due. */
  readonly startsAt: number;
  /** Time of records that are made now. */
  readonly recordAt: number;
}

/** The checkpoint that the current view stands on, and what was left on the way to it. */
interface ChosenCheckpoint {
  readonly checkpoint: Checkpoint | undefined;
  /** Records of checkpoints that are left for a larger budget just now: they are kept, or the view would flip back. */
  readonly left: readonly Undo[];
}

/**
 * The newest checkpoint that this transcript begins with and that nobody undid. One that was made for a smaller budget is
 * left for good, until a compaction is due anyway: a view that was shown whole doesn't shrink because the transcript grew.
 */
function chooseCheckpoint(choice: CheckpointChoice): ChosenCheckpoint {
  const { state, budget, total, startsAt } = choice;
  const roomy = total < startsAt * budget;
  const wasLeft = new Set(state.undos.flatMap(({ why, checkpoint }) => (why ? [checkpoint] : [])));
  const skipped: Undo[] = state.undos.filter(({ why }) => !why);
  const left: Undo[] = [];
  const shown = [...state.branches, ...(state.last ? [state.last] : [])];
  for (;;) {
    const checkpoint = findCheckpoint({
      ...choice,
      checkpoints: state.checkpoints,
      undos: skipped,
      shown,
    });
    if (!checkpoint) return { checkpoint, left };
    const { why, ...skip } = leave(checkpoint, choice);
    if (wasLeft.has(checkpoint.id) && roomy) skipped.push(skip);
    else if (checkpoint.budget * LARGER_BUDGET > budget) return { checkpoint, left };
    else if (total < LEAVE_BELOW * budget) {
      skipped.push(skip);
      left.push({ ...skip, why });
    } else return { checkpoint, left };
  }
}

/** The record of a checkpoint that is left for a larger budget. */
function leave({ id }: Checkpoint, { budget, total, recordAt }: CheckpointChoice) {
  return {
    checkpoint: id,
    at: recordAt,
    pressure: total / budget,
    why: "larger-budget",
  } as const satisfies Undo;
}

/** Undos by a person, of checkpoints that this transcript begins with. */
export function undosOf(choice: CheckpointChoice): readonly Undo[] {
  const { state } = choice;
  return state.undos.filter(
    (undo) =>
      !undo.why &&
      findCheckpoint({
        ...choice,
        checkpoints: state.checkpoints.filter(({ id }) => id === undo.checkpoint),
        undos: [],
      }),
  );
}

/** A round fits with ease where the budget is this many times what must be shown: it isn't cut again at once. */
const WITH_EASE = 1.25;

/** The view that a conversation goes on from. */
export interface CurrentView {
  readonly checkpoint: Checkpoint | undefined;
  /** There is a checkpoint, but its view of this transcript would break a post-condition. */
  readonly invalid: boolean;
  /** Records of checkpoints that are left just now because the budget is larger; to be saved with the next view. */
  readonly left: readonly Undo[];
  /** Messages that the checkpoint hid or shortened and that are shown again: pins, the other half of a round. */
  readonly broughtBack: readonly number[];
  /** Nobody vouches for the checkpoint, and so it is shown otherwise than it was made. */
  readonly reworded: boolean;
  readonly current: Draft;
}

/** The view of the newest checkpoint that still holds, or all of the transcript. */
export function currentView<M>(
  choice: CheckpointChoice & { readonly state: Pick<Remembered, "unproven"> },
  read: ReadTranscript<M>,
  /** Tokens that the view may have. */
  budget: number,
  /** Look at the whole transcript as if nothing had been compacted. */
  fresh: boolean,
): CurrentView {
  const { conversation } = read;
  const whole = { broughtBack: [], reworded: false, current: keepAll(conversation.messages.length) };
  const { checkpoint, left } = fresh ? { checkpoint: undefined, left: [] } : chooseCheckpoint(choice);
  const isUnproven = checkpoint !== undefined && choice.state.unproven.has(checkpoint.id);
  const view = checkpoint && viewOfCheckpoint(checkpoint, conversation, read.dialect, isUnproven);
  if (!checkpoint || !view) return { ...whole, checkpoint: undefined, invalid: false, left };
  // The model asked for its newest results and has never seen them: a view that was made for less room may not keep them from it.
  // What a long history needs for its record isn't room for them: a new compaction would cut them again.
  const isTooNarrow =
    wholeTokens(conversation) * WITH_EASE <= budget - recordOfLong(conversation, budget) &&
    !showsUnanswered(conversation, view.draft);
  const allLeft = isTooNarrow ? [...left, leave(checkpoint, choice)] : left;
  // What the view ended with may have been taken back, or what must be shown by now may not go with the rest; or nobody
  // vouches for the view.
  const isDoubtful =
    view.shown.length > 0 || checkpoint.seen.messages > conversation.messages.length || isUnproven;
  const isBroken = (): boolean => judge(read, { draft: view.draft, tokens: 0, limit: 0 }).length > 0;
  if (isTooNarrow || (isDoubtful && isBroken()))
    return { ...whole, checkpoint: undefined, invalid: true, left: allLeft };
  return {
    checkpoint,
    invalid: false,
    left: allLeft,
    broughtBack: view.shown,
    reworded: view.reworded,
    current: view.draft,
  };
}

export interface ReadTranscript<M> {
  readonly dialect: Dialect<M>;
  readonly transcript: readonly M[];
  readonly system: unknown;
  readonly conversation: Conversation;
}

/** The post-conditions of a draft, judged on the wire messages that it renders to. */
export function judge<M>(
  { dialect, transcript, system, conversation }: ReadTranscript<M>,
  { draft, tokens, limit }: { readonly draft: Draft; readonly tokens: number; readonly limit: number },
): readonly string[] {
  const entries = entriesOf(draft);
  const rendered = renderView({ dialect, transcript, entries, system });
  return breachesOf({
    messages: conversation.messages,
    structure: conversation.structure,
    entries,
    shown: rendered.messages.map((message) => dialect.read(message)),
    rules: dialect.rules,
    isHead: conversation.isHead,
    tokens,
    budget: limit,
    transcriptTokens: conversation.total,
  });
}
