import { type Draft, keepAll } from "../core/draft.ts";
import type { Remembered } from "../core/state/remembered.ts";
import type { Checkpoint, Undo } from "../core/types.ts";
import { showsUnanswered } from "./amend.ts";
import { viewOfCheckpoint } from "./checkpoint-view.ts";
import { type CheckpointChoice, chooseCheckpoint, leave } from "./choose-checkpoint.ts";
import { recordOfLong, wholeTokens } from "./conversation.ts";
import { judge, type ReadTranscript } from "./judge.ts";

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
