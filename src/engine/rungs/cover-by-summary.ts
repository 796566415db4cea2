import { coversOf, type Draft, type Fate, type Insert, isShown } from "../../core/draft.ts";
import { applyEdits } from "../../core/edits.ts";
import { readableText } from "../../core/message-text.ts";
import { shifted } from "../../core/shifted.ts";
import type { Told } from "../../summaries/render-narrative.ts";
import { summaryMessage } from "../../summaries/summary-message.ts";
import { hiddenEnd, insertTokens } from "../conversation.ts";
import { isOwn } from "../narrative.ts";
import { narrativePart, narrativeShare } from "../narrative-share.ts";
import { placeSummary, type SummaryPlace } from "./place-summary.ts";
import { isRoleNote, withRoleNotes } from "./role-notes.ts";
import { type RungInput, saysUnproven } from "./rung.ts";

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
  const summary = summaryMessage({
    messages,
    hidden,
    visible: (index) => isShown(fates[index]!),
    shownText,
    cap: cap - frame,
    count: (text) => insertTokens(measure, { role, text }) - frame,
    ...(input.focus !== undefined && { focus: input.focus }),
    ...(settings.summary.preface && { preface: settings.summary.preface }),
    // Where roles must alternate, the system prompt may be the only place left.
    narrative:
      role === "system" && saysUnproven(input) ? [] : shownRecords(input, hiddenEnd(conversation, fates)),
    narrativeRoom: narrativeRoom(input, cap),
    narrativeCap: settings.summary.cap,
    ...(input.isOurs && { isOurs: input.isOurs }),
    ...(role === "system" && {
      quotesBeside: {
        count: (text: string) => insertTokens(measure, { role: "user", text }),
        always: place.needsUser,
      },
    }),
  });
  return summary && placeSummary(input, fates, place, summary);
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
function shownRecords({ conversation, narrative = [] }: RungInput, end: number): Told[] {
  const { start } = conversation.structure;
  return narrative
    .filter(({ covers }) => covers.to <= end)
    .map((record) => ({ text: record.text, covers: shifted(record.covers, start), isOwn: isOwn(record) }));
}

/** Tokens that records may take in a summary message of `cap`: their part of it, and a little more beside a tail that took too much. */
function narrativeRoom(input: RungInput, cap: number): number {
  const { conversation, settings, goal, modest } = input;
  const usual = modest ? 0 : narrativeShare(settings, conversation, { goal, fills: fills(input) });
  return Math.min(cap * MOST_NARRATIVE, Math.max(narrativePart(cap), usual) * RECORDS_SLACK);
}
