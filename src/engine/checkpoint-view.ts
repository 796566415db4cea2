import { restoreDraft } from "../core/checkpoint.ts";
import { clipMarker } from "../core/clip.ts";
import { type Draft, type Fate, KEEP } from "../core/draft.ts";
import { editableParts, editableText } from "../core/edits.ts";
import type { Checkpoint, Dialect, Edit, Message, Part } from "../core/types.ts";
import { mediaPlaceholder } from "../reductions/old-images.ts";
import { reframe } from "../summaries/reframe.ts";
import { type Amended, amend } from "./amend.ts";
import type { Conversation } from "./conversation.ts";
import { detachFromHiddenReasoning } from "./detach-from-hidden-reasoning.ts";
import { isShortened } from "./is-shortened.ts";
import { withNeededReasoning } from "./needed-reasoning.ts";
import { mergeIntoSystem } from "./rungs/place-summary.ts";
import { withRoleNotes } from "./rungs/role-notes.ts";
import { roundsText } from "./rungs/summarize-rounds.ts";

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
  const { rules } = dialect;
  const merged = mergeIntoSystem({ conversation, rules }, draft);
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

/**
 * The view of a checkpoint that came from outside and that nobody signed. It may hide messages and shorten them, and say
 * in a summary message what they were about: that is all that a compaction does. It can't speak in another role, outside
 * of the summary's frame, or change what somebody said.
 */
function unprovenView(draft: Draft, conversation: Conversation): Draft {
  const { messages } = conversation;
  return {
    inserts: draft.inserts.map(({ message: { text }, merged: _, ...insert }, at) => ({
      ...insert,
      // What begins like a summary of rounds can go on in the user's voice; what code would write again needs nobody's word.
      message: { role: "user", text: text === roundsText(conversation, draft, at) ? text : reframe(text) },
    })),
    fates: draft.fates.map((fate, index) =>
      fate.type === "edit" ? unprovenEdit(fate.edits, messages[index]!) : fate,
    ),
  };
}

/** Does the view show anything otherwise than the checkpoint says? */
function isReworded(before: Draft, after: Draft): boolean {
  return (
    before.inserts.some(({ message, merged }, at) => {
      const now = after.inserts[at]!.message;
      return merged === true || message.role !== now.role || message.text !== now.text;
    }) || before.fates.some((fate, index) => fate.type === "edit" && !hasSameEdits(fate, after.fates[index]!))
  );
}

function hasSameEdits({ edits }: Extract<Fate, { type: "edit" }>, after: Fate): boolean {
  return (
    after.type === "edit" &&
    after.edits.length === edits.length &&
    after.edits.every((edit, at) => edit === edits[at])
  );
}

function unprovenEdit(edits: readonly Edit[], message: Message): Fate {
  const parts = editableParts(message);
  const believed = edits.flatMap((edit): Edit[] => {
    if (edit.type === "append") return [];
    if (edit.type === "strip-reasoning" || edit.type === "strip-fields") return [edit];
    const part = parts[edit.part];
    if (!part) return [];
    if (isShortened(edit.text, part)) return [edit];
    // What the part was made into isn't known, so nothing of it is shown.
    return [{ ...edit, text: leastOf(part) }];
  });
  return believed.length > 0 ? { type: "edit", edits: believed } : KEEP;
}

/** The shortest text that can stand for a part. */
function leastOf(part: Part): string {
  if (part.type === "tool-call") return "{}";
  if (part.type === "image" || part.type === "frame" || part.type === "file") return mediaPlaceholder(part);
  return clipMarker(editableText(part)?.length ?? 0, 1);
}
