import { restoreDraft } from "../core/checkpoint.ts";
import type { Checkpoint, Dialect } from "../core/types.ts";
import { type Amended, amend } from "./amend.ts";
import type { Conversation } from "./conversation.ts";
import { detachFromHiddenReasoning } from "./detach-from-hidden-reasoning.ts";
import { withNeededReasoning } from "./needed-reasoning.ts";
import { mergeIntoSystem } from "./rungs/place-summary.ts";
import { withRoleNotes } from "./rungs/role-notes.ts";
import { isReworded, unprovenView } from "./unproven-view.ts";

export interface CheckpointView extends Amended {
  /** Nobody vouches for the checkpoint, and so it is shown otherwise than it was made. */
  readonly reworded: boolean;
}

/** The checkpoint's view of the transcript as it is now. Undefined if the record doesn't fit it. */
export function viewOfCheckpoint<M>(
  checkpoint: Checkpoint,
  conversation: Conversation,
  dialect: Dialect<M>,
  isUnproven: boolean,
): CheckpointView | undefined {
  const { messages, structure } = conversation;
  const restored = restoreDraft(checkpoint, messages, structure.start);
  if (!restored) return undefined;
  const believed = isUnproven ? unprovenView(restored, conversation) : restored;
  const { draft, shown } = amend(conversation, believed, dialect.rules);
  const merged = mergeIntoSystem(draft, structure.start);
  const { rules } = dialect;
  return {
    // What was brought back may begin the view, or stand beside a message of its own role.
    draft: withRoleNotes(
      { conversation, rules },
      // What was newer than the checkpoint may have come from reasoning that it hides.
      detachFromHiddenReasoning({ conversation, rules }, withNeededReasoning(conversation, rules, merged)),
    ),
    shown,
    reworded: isUnproven && isReworded(restored, believed),
  };
}
