import { type Draft, entriesOf, type Fate, type Insert, isShown, withoutInserts } from "../../core/draft.ts";
import { hidesInSystem, mayStandBehind } from "../../core/invariants.ts";
import { SUMMARY_MARKER } from "../../core/markers.ts";
import type { InsertMessage, Message } from "../../core/types.ts";
import type { Conversation } from "../conversation.ts";
import type { RungInput } from "./rung.ts";

type Rules = Pick<RungInput, "conversation" | "rules">;

/** What stands in for messages that aren't shown, where the next one may not stand without another role before it. */
export const NOT_SHOWN = `<${SUMMARY_MARKER}>Earlier messages of this conversation are not shown.</${SUMMARY_MARKER}>`;

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
export function firstShown({ messages }: Conversation, fates: readonly Fate[]): number {
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
