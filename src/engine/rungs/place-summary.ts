import { type Draft, type Fate, type Insert, isShown } from "../../core/draft.ts";
import { mayFollow } from "../../core/invariants.ts";
import type { DialectRules, Edit, InsertMessage } from "../../core/types.ts";
import { edited } from "../../reductions/reduction.ts";
import type { Conversation } from "../conversation.ts";
import { beginsWrong } from "./role-notes.ts";
import { leavesAssistantLast, type RungInput, saysUnproven } from "./rung.ts";

/** Where a summary message goes. */
export interface SummaryPlace {
  readonly role: InsertMessage["role"] & ("user" | "system");
  /** It is appended to the last leading system message instead of standing by itself. */
  readonly merged: boolean;
  /**
   * Of one in the system prompt: a message of the user's role is needed beside it, because the view would begin or end with a
   * role that the format forbids there.
   */
  readonly needsUser: boolean;
}

/** The place for the settings' placement and the format's rules. */
export function summaryPlace(input: RungInput, fates: readonly Fate[]): SummaryPlace {
  const { conversation, rules, settings } = input;
  const strict = rules.alternation === "strict";
  // A template that wants roles in turn takes a system message only at the beginning, if at all.
  if (strict && lacksSystem(conversation, rules)) return { role: "user", merged: false, needsUser: false };
  const beside = neighbours(conversation, fates, endOfCovered(fates));
  const roles = beside.map((index) => conversation.messages[index]?.role);
  // Beside a user message it would be the second of its role in a row: then the system prompt takes it.
  const crowded = strict && (roles.includes("user") || roles.every((role) => role === undefined));
  const wanted = saysUnproven(input) ? "user" : settings.placement;
  if (wanted === "user" && !crowded) return { role: "user", merged: false, needsUser: false };
  return {
    role: "system",
    merged: rules.system === "message" && (strict || settings.placement === "merged"),
    needsUser:
      (roles[0] === undefined && beginsWrong(input, fates)) ||
      leavesAssistantLast(conversation, fates) ||
      (strict && !crowded && !(roles[0] && roles[1] && mayFollow(roles[0], roles[1]))),
  };
}

/** Is there no system prompt that a summary can go into? */
function lacksSystem({ structure }: Conversation, rules: Pick<DialectRules, "system">): boolean {
  return rules.system === "message" && structure.start === 0;
}

/**
 * The draft of a summary message, and of what it quotes from tools and files: that never stands in the system prompt, but
 * behind it in a message of the user's role, or in one that is there already where two in a row are refused.
 */
export function placeSummary(
  input: RungInput,
  fates: readonly Fate[],
  place: SummaryPlace,
  made: { readonly text: string; readonly quotes?: string },
): Draft {
  const { conversation, rules } = input;
  const summary: Insert = {
    message: { role: place.role, text: made.text.toWellFormed() },
    ...(place.merged && { merged: true }),
  };
  const draft = mergeIntoSystem({ conversation, rules }, { fates, inserts: [summary] });
  if (made.quotes === undefined) return draft;
  const text = made.quotes.toWellFormed();
  const before = endOfCovered(fates);
  const neighbour =
    rules.alternation === "strict" ? userBeside(conversation, draft.fates, before) : undefined;
  if (neighbour === undefined)
    return { ...draft, inserts: [...draft.inserts, { message: { role: "user", text }, before }] };
  const edit: Edit = { type: "append", text, why: "summary" };
  return {
    ...draft,
    fates: draft.fates.map((fate, index) => (index === neighbour ? edited(fate, [edit]) : fate)),
  };
}

/** The place of a summary: behind the last message that it speaks for. */
function endOfCovered(fates: readonly Fate[]): number {
  return fates.findLastIndex((fate) => fate.type === "cover") + 1;
}

/** The shown message of the user right before or right behind a place. */
function userBeside(conversation: Conversation, fates: readonly Fate[], place: number): number | undefined {
  return neighbours(conversation, fates, place).find(
    (index) => conversation.messages[index]?.role === "user",
  );
}

/** The shown messages right before and right behind a place; -1 where there is none. */
function neighbours({ messages }: Conversation, fates: readonly Fate[], place: number): [number, number] {
  const isThere = (fate: Fate, index: number) => isShown(fate) && messages[index]!.role !== "system";
  return [
    fates.findLastIndex((fate, index) => index < place && isThere(fate, index)),
    fates.findIndex((fate, index) => index >= place && isThere(fate, index)),
  ];
}

/** A summary that goes into the system prompt shows as an edit of the last leading system message. */
export function mergeIntoSystem(
  { conversation, rules }: Pick<RungInput, "conversation" | "rules">,
  draft: Draft,
): Draft {
  const { start } = conversation.structure;
  if (rules.alternation === "strict" && lacksSystem(conversation, rules)) return withoutSystem(draft);
  const insert = draft.inserts.find((one) => one.merged);
  if (!insert) return draft;
  // No system message to go into: it stands by itself.
  if (start === 0) return { ...draft, inserts: draft.inserts.map(({ merged: _, ...one }) => one) };
  const edit: Edit = { type: "append", text: insert.message.text, why: "summary" };
  return {
    ...draft,
    fates: draft.fates.map((fate, index) => (index === start - 1 ? { type: "edit", edits: [edit] } : fate)),
  };
}

/** The draft of a checkpoint whose transcript has lost its system prompt: what went into it is a message of the user's role. */
function withoutSystem(draft: Draft): Draft {
  if (!draft.inserts.some(({ message }) => message.role === "system")) return draft;
  return {
    ...draft,
    inserts: draft.inserts.map(({ merged: _, message, ...one }) => ({
      ...one,
      message: message.role === "system" ? { ...message, role: "user" } : message,
    })),
  };
}
