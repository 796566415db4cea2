import { coversOf, type Draft, type Fate, type Insert, isShown } from "../../core/draft.ts";
import { applyEdits } from "../../core/edits.ts";
import { mayFollow } from "../../core/invariants.ts";
import { readableText } from "../../core/message-text.ts";
import { shifted } from "../../core/rounds.ts";
import type { DialectRules, Edit, InsertMessage, Summary, SummaryCheck } from "../../core/types.ts";
import { edited } from "../../reductions/reduction.ts";
import type { SummaryMessageInput } from "../../summaries/material/message-material.ts";
import type { MadeMessage } from "../../summaries/write/write-message.ts";
import { isOwn, narrativePart, narrativeShare } from "../plan/narrative.ts";
import { type Conversation, hiddenEnd, insertTokens } from "../read/conversation.ts";
import {
  beginsWrong,
  isRoleNote,
  leavesAssistantLast,
  type RungInput,
  saysUnproven,
  withRoleNotes,
} from "./step.ts";

/** However large the tail is, records leave this much of the summary message to the user's words and the working set. */
const MOST_NARRATIVE = 0.72;
/** Records may outgrow their share a little (pointers, lines that must stay) before lines of them leave. */
const RECORDS_SLACK = 1.1;

/** Is the whole budget to be used? Elsewhere what the tail leaves unused is left for what comes next. */
export function fills({ goal, limit }: RungInput): boolean {
  return goal === limit;
}

/** The draft with a summary message for what its fates say is covered by insert 0; undefined if `most` has no room for one. */
export async function coverBySummary(
  input: RungInput,
  fates: readonly Fate[],
  place: SummaryPlace,
  most: number,
): Promise<Draft | undefined> {
  const { conversation, settings } = input;
  const { messages, measure } = conversation;
  const { role } = place;
  const frame = insertTokens(measure, { role, text: "" });
  const cap = most - noteTokens(input, fates, place);
  if (cap <= frame) return undefined;
  const shownText = (index: number) => {
    const fate = fates[index]!;
    return fate.type === "edit" ? readableText(applyEdits(messages[index]!, fate.edits)) : undefined;
  };
  const hidden = coversOf({ fates, inserts: [{ message: { role, text: "" } }] })[0]!;
  // The ceiling holds for the whole message: what the format adds to a text is taken off first.
  await input.pause();
  // What writes it is half of the library: most conversations of a page never need it.
  const { appendMissing, missingItems, summaryMessage, usedLater } = await import(
    "../../summaries/summary-message.ts"
  );
  // Where roles must alternate, the system prompt may be the only place left.
  const records =
    role === "system" && saysUnproven(input) ? [] : shownRecords(input, hiddenEnd(conversation, fates));
  const newest = records.findLast(({ author }) => author === "model");
  const run = newest && { from: records[0]!.covers.from, to: records.at(-1)!.covers.to };
  const used = run ? usedLater(messages, run) : [];
  const missed = missingItems(records.map(({ text }) => text).join("\n"), used);
  // What was said since only uses it.
  const beside = messages.flatMap((message, index) =>
    missed.length > 0 && index < run!.to && isShown(fates[index]!)
      ? [shownText(index) ?? readableText(message)]
      : [],
  );
  const unseen = missingItems(beside.join("\n"), missed);
  const making: SummaryMessageInput = {
    messages,
    hidden,
    visible: (index) => isShown(fates[index]!),
    shownText,
    cap: cap - frame,
    count: (text) => insertTokens(measure, { role, text }) - frame,
    ...(input.focus !== undefined && { focus: input.focus }),
    ...(settings.summary.preface && { preface: settings.summary.preface }),
    missed: unseen,
    narrativeRoom: narrativeRoom(input, cap),
    narrativeCap: settings.summary.cap,
    ...(input.isOurs && { isOurs: input.isOurs }),
    ...(role === "system" && {
      quotesBeside: {
        count: (text: string) => insertTokens(measure, { role: "user", text }),
        always: place.needsUser,
      },
    }),
  };
  const narrative = records.map((one) => ({ ...one, isOwn: isOwn(one) }));
  const lacks = ({ text, quotes = "" }: MadeMessage) => missingItems(`${text}\n${quotes}`, unseen);
  let summary = summaryMessage({ ...making, narrative });
  const unsaid = summary ? lacks(summary) : [];
  if (unsaid.length > 0) {
    // Lines that say them are too long: at least the names stand behind the record.
    const withNames = (one: (typeof narrative)[number], at: number) =>
      records[at] === newest ? { ...one, text: appendMissing(one.text, unsaid, Infinity, () => 0) } : one;
    summary = summaryMessage({ ...making, narrative: narrative.map(withNames) });
  }
  if (summary === undefined) return undefined;
  const lacking = new Set(lacks(summary));
  const check = newest && {
    model: newest.model,
    prompt: newest.prompt,
    used: used.length,
    missed: missed.map(({ text }) => text),
    added: unseen.flatMap((item) => (lacking.has(item) ? [] : [item.text])),
  };
  return placeSummary(input, fates, place, { ...summary, check });
}

/** Tokens of the notes that the view needs beside its summary. */
function noteTokens(input: RungInput, fates: readonly Fate[], { role, merged }: SummaryPlace): number {
  const summary: Insert = { message: { role, text: "" }, ...(merged && { merged }) };
  const { inserts } = withRoleNotes(input, { fates, inserts: [summary] });
  return inserts
    .filter(isRoleNote)
    .reduce((sum, { message }) => sum + insertTokens(input.conversation.measure, message), 0);
}

/** The records that speak for hidden messages only. */
function shownRecords({ conversation, narrative = [] }: RungInput, end: number): Summary[] {
  const { start } = conversation.structure;
  return narrative
    .filter(({ covers }) => covers.to <= end)
    .map((record) => ({ ...record, covers: shifted(record.covers, start) }));
}

/** Tokens that records may take in a summary message of `cap`: their part of it, and a little more beside a tail that took too much. */
function narrativeRoom(input: RungInput, cap: number): number {
  const { conversation, settings, goal, modest } = input;
  const usual = modest ? 0 : narrativeShare(settings, conversation, { goal, fills: fills(input) });
  return Math.min(cap * MOST_NARRATIVE, Math.max(narrativePart(cap), usual) * RECORDS_SLACK);
}

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
function placeSummary(
  input: RungInput,
  fates: readonly Fate[],
  place: SummaryPlace,
  made: { readonly text: string; readonly quotes?: string; readonly check?: SummaryCheck | undefined },
): Draft {
  const { conversation, rules } = input;
  const summary: Insert = {
    message: { role: place.role, text: made.text.toWellFormed() },
    ...(place.merged && { merged: true }),
    ...(made.check && { check: made.check }),
  };
  const draft = mergeIntoSystem({ conversation, rules }, { fates, inserts: [summary] });
  if (made.quotes === undefined) return draft;
  const text = made.quotes.toWellFormed();
  const before = endOfCovered(fates);
  const neighbour =
    rules.alternation === "strict"
      ? neighbours(conversation, draft.fates, before).find((at) => conversation.messages[at]?.role === "user")
      : undefined;
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
