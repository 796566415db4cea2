import { type Draft, type Fate, type Insert, KEEP } from "../../core/draft.ts";
import type { Pause } from "../../core/pause.ts";
import type { DialectRules, DropReason, Edit, Run, RungName, Summary } from "../../core/types.ts";
import type { IsOurs } from "../../summaries/proof.ts";
import { type Conversation, mustShow } from "../conversation.ts";
import type { Settings } from "../settings.ts";
import type { Step } from "../strategies.ts";
import type { Tail } from "../tail.ts";
import { beginsWrong, firstShown, NOT_SHOWN, withRoleNotes } from "./role-notes.ts";

/** What a rung works with. */
export interface RungInput {
  readonly conversation: Conversation;
  /** The view as it is now (newest valid checkpoint and everything newer). */
  readonly current: Draft;
  readonly settings: Settings;
  readonly rules: DialectRules;
  readonly pause: Pause;
  /** Tokens that the view may have at most, and tokens that it should have. */
  readonly limit: number;
  readonly goal: number;
  /** Tokens at which the next compaction is due. */
  readonly start: number;
  /** The reductions needn't free a minimum (asked for by a person, or the budget is full). */
  readonly anyGain: boolean;
  /** The summary message may take at most half of what it hides, whatever the goal leaves for it. */
  readonly modest?: boolean;
  /**
   * Nothing has to go: what is hidden must be spoken for by a summary that is smaller than it. Otherwise there is nothing
   * to gain.
   */
  readonly spokenFor?: boolean;
  /** The model's summary takes the place of code's: the view needn't get smaller, as long as no compaction is due after it. */
  readonly rewords?: boolean;
  readonly focus?: string | undefined;
  /** Which texts that look like summary messages are known to be ours. */
  readonly isOurs?: IsOurs | undefined;
  /** Model-written records that fit this transcript, oldest first, without gaps. */
  readonly narrative?: readonly Summary[];
  /** Model-written records of finished rounds, by the message that they begin at. */
  readonly rounds?: ReadonlyMap<number, Summary>;
  /** Only these steps of the strategy. */
  readonly steps?: readonly Step[];
  /** A summary that is ready speaks for everything before this message, so the tail should begin here. */
  readonly cut?: number | undefined;
  /** The messages that a person chose to hide, and no others. */
  readonly range?: Run | undefined;
  /** From this message on signed reasoning stays: the provider itself leaves out what no longer fits. */
  readonly keepReasoningFrom?: number | undefined;
  /** The rung by which the newest of those records was written. */
  readonly writtenBy?: RungName | undefined;
}

/** A step of the ladder: a draft, or undefined when it can't help. Long ones pause now and then, so that others have their turn. */
export type Rung = (input: RungInput) => Draft | undefined | Promise<Draft | undefined>;

/** Head, last user message and tail are kept; everything else gets `fate`. */
export function aroundTail(conversation: Conversation, tail: Tail, fate: Fate): Fate[] {
  return conversation.messages.map((_, index) => {
    if (mustShow(conversation, index)) return KEEP;
    if (index < tail.from) return fate;
    const edits: readonly Edit[] | undefined = tail.edits.get(index);
    return edits ? { type: "edit", edits } : KEEP;
  });
}

/** Would the view end with the assistant's words although the transcript doesn't? */
export function leavesAssistantLast({ messages }: Conversation, fates: readonly Fate[]): boolean {
  const last = fates.findLastIndex((fate) => fate.type === "keep" || fate.type === "edit");
  return messages[last]?.role === "assistant" && messages.at(-1)?.role !== "assistant";
}

/** A draft without a summary. Where its view would begin with a forbidden role, a short note speaks for what came before. */
export function withoutSummary(input: RungInput, fates: readonly Fate[]): Draft {
  return withRoleNotes(input, withNote(input, fates));
}

function withNote(input: RungInput, fates: readonly Fate[]): Draft {
  const first = firstShown(input.conversation, fates);
  const endsWrong = leavesAssistantLast(input.conversation, fates);
  if (first >= 0 && !endsWrong && !beginsWrong(input, fates)) return { fates, inserts: [] };
  const before = first < 0 || endsWrong ? fates.length : first;
  const note: Insert = { message: { role: "user", text: NOT_SHOWN } };
  const covered = fates.map(
    (fate, index): Fate => (index < before && fate.type === "drop" ? { type: "cover", by: 0 } : fate),
  );
  return covered.some((fate) => fate.type === "cover")
    ? { fates: covered, inserts: [note] }
    : { fates, inserts: [] };
}

/** Would the summary repeat what came back without proof? Such text never becomes system text. */
export function saysUnproven({ narrative = [] }: Pick<RungInput, "narrative">): boolean {
  return narrative.some(({ unproven }) => unproven);
}

/** A fate for what is neither shown nor spoken for. */
export function dropped(reason: DropReason): Fate {
  return { type: "drop", reason };
}
