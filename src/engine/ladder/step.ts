import {
  type Draft,
  entriesOf,
  type Fate,
  type Insert,
  isShown,
  KEEP,
  withoutInserts,
} from "../../core/draft.ts";
import { hidesInSystem, mayStandBehind } from "../../core/invariants.ts";
import { HIDDEN_NOTE, SUMMARY_MARKER } from "../../core/message-text.ts";
import type { Pause } from "../../core/pause.ts";
import type {
  DialectRules,
  DropReason,
  Edit,
  InsertMessage,
  Message,
  Run,
  RungName,
  Summary,
} from "../../core/types.ts";
import type { IsOurs } from "../../summaries/material/user-words.ts";
import type { Tail } from "../plan/tail.ts";
import { type Conversation, mustShow } from "../read/conversation.ts";
import type { Settings, Step } from "../settings/settings.ts";

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

type Rules = Pick<RungInput, "conversation" | "rules">;

/** What stands in for messages that aren't shown, where the next one may not stand without another role before it. */
export const NOT_SHOWN = `<${SUMMARY_MARKER}>${HIDDEN_NOTE}</${SUMMARY_MARKER}>`;

/**
 * The draft with a short note wherever its view has a role that the format forbids there. What every view shows (a pin, the
 * last user message) stays where it stood, before the summary of what was around it: so a view may begin with an answer whose
 * question is hidden, or show two answers in a row. Notes that an earlier view needed are taken out first.
 */
export function withRoleNotes({ conversation, rules }: Rules, draft: Draft): Draft {
  const isFree = rules.alternation === undefined;
  if (rules.firstRole === "any" && isFree) return draft;
  const bare = withoutInserts(draft, isRoleNote);
  if (isFree && !beginsWrong({ conversation, rules }, bare.fates)) return bare;
  const shown = shownMessages({ conversation, rules }, bare);
  const notes = [...beginning(conversation, shown), ...between({ conversation, rules }, shown)];
  return notes.length === 0 ? bare : { ...bare, inserts: [...bare.inserts, ...notes] };
}

/** A note that stands between messages and speaks for none. */
export function isRoleNote({ message, before }: Insert): boolean {
  return before !== undefined && message.text === NOT_SHOWN;
}

/** The first message after the system prompt that a draft shows. */
function firstShown({ messages }: Conversation, fates: readonly Fate[]): number {
  return fates.findIndex((fate, index) => isShown(fate) && messages[index]!.role !== "system");
}

/** Would the view begin with a role that the format forbids there? */
export function beginsWrong({ conversation, rules }: Rules, fates: readonly Fate[]): boolean {
  if (rules.firstRole === "any") return false;
  const first = firstShown(conversation, fates);
  const role = conversation.messages[first]?.role;
  return role !== rules.firstRole && (first < 0 || first !== conversation.structure.start);
}

/** A message of a view; without an index it is one that precis wrote. */
interface Shown extends Pick<Message, "role" | "parts"> {
  readonly index?: number;
}

/** The messages of a view without system messages: these are neither its first message nor between two others. */
function shownMessages({ conversation, rules }: Rules, draft: Draft): Shown[] {
  return entriesOf(draft)
    .flatMap((entry): Shown[] => {
      if (entry.type === "drop") return [];
      if (entry.type === "insert")
        return hidesInSystem(entry, rules) ? [] : [{ role: entry.message.role, parts: [] }];
      const { role, parts } = conversation.messages[entry.index]!;
      return [{ role, parts, index: entry.index }];
    })
    .filter(({ role }) => role !== "system");
}

function beginning({ structure }: Conversation, shown: readonly Shown[]): Insert[] {
  const [first] = shown;
  if (first?.index === undefined || first.role === "user" || first.index === structure.start) return [];
  return [note("user", first.index)];
}

/**
 * Rounds stay whole: between a call and its result nothing may stand. The place of a summary sees to its roles as far as it can, but
 * one that nobody vouches for was taken out of the system prompt, and where there is no system prompt it has only this place.
 */
function between({ conversation: { structure }, rules }: Rules, shown: readonly Shown[]): Insert[] {
  return shown.flatMap((message, at) => {
    const { role, index } = message;
    const last = shown[at - 1];
    if (last === undefined || mayStandBehind(rules, last, message)) return [];
    const other = role === "user" ? "assistant" : "user";
    if (index === undefined) return last.index === undefined ? [] : [note(other, last.index + 1)];
    if (last.index === undefined) return [note(other, index)];
    const isNext = last.index + 1 === index || structure.unitOf[last.index] === structure.unitOf[index];
    return isNext ? [] : [note(other, index)];
  });
}

function note(role: InsertMessage["role"], before: number): Insert {
  return { message: { role, text: NOT_SHOWN }, before };
}
