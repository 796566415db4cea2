import { coversOf, type Draft, type Fate, isShown } from "../../core/draft.ts";
import { applyEdits } from "../../core/edits.ts";
import type { Steps } from "../../core/steps.ts";
import type { Message, Run } from "../../core/types.ts";
import { summaryMessageSteps } from "../../summaries/summary-message.ts";
import { draftTokens, floorTokens, hiddenEnd, insertTokens, wholeTokens } from "../conversation.ts";
import { NARRATIVE_SHARE, narrativeShare } from "../narrative-share.ts";
import { shrinkParts } from "../shrink.ts";
import { landingRoom, landingTail, MAX_SUMMARY } from "../summary-room.ts";
import { emptyTail, newestUnit, type Tail, tailFrom, tailIndexes } from "../tail.ts";
import { placeSummary, summaryPlace } from "./place-summary.ts";
import { aroundTail, dropped, type Rung, type RungInput, saysUnproven, withoutSummary } from "./rung.ts";

/**
 * A round that doesn't fit even alone is cut and gets all the room there is, but for this share of it: an agent that
 * doesn't know what it has done begins anew.
 */
const RECORD_BESIDE_CUT = 0.05;
/** However large the tail is, records leave this much of the summary message to the user's words and the working set. */
const MOST_NARRATIVE = 0.6;
/** Records may outgrow their share a little (pointers, lines that must stay) before lines of them leave. */
const RECORDS_SLACK = 1.1;
/** Where a count of messages was the reason, a summary takes at most this share of what it hides. */
const MODEST_SHARE = 0.5;
/** … and at most this many times the narrative's ceiling: as much again for the user's words and the working set. */
const MODEST_CAPS = 2;
/** Rung 3 without a model: the middle is covered by the user's words and the working set, the tail stays. */
export const summarize: Rung = function* (input) {
  const { conversation, settings, goal } = input;
  const room = landingRoom(conversation, settings, { goal, fills: fills(input) });
  if (room.landing <= 0) return undefined;
  const ready = yield* atCut(input);
  if (ready) return ready;
  const newest = newestUnit(conversation);
  if (wholeTokens(conversation) > input.limit) return yield* cutNewest(input, newest);
  const tail = landingTail(conversation, settings, room);
  const limit = floorTokens(conversation) + room.mostTail;
  return (
    (yield* coverMiddle(input, tail, limit)) ??
    (yield* coverMiddle(input, newest, limit)) ??
    (yield* coverMiddle(input, emptyTail(conversation), limit))
  );
};

/** The unanswered round, cut to what the limit leaves, and a short record of all that came before it. */
function* cutNewest(input: RungInput, newest: Tail): Steps<Draft | undefined> {
  const { conversation, limit } = input;
  const record = Math.floor((limit - floorTokens(conversation)) * RECORD_BESIDE_CUT);
  return yield* coverMiddle({ ...input, goal: limit }, newest, limit - record);
}

/**
 * The conversation went on while its summary was being written. If what came since leaves room for the summary message,
 * the cut stays where the summary ends, so that every hidden message is spoken for by the model too.
 */
function* atCut(input: RungInput): Steps<Draft | undefined> {
  const { conversation, settings, cut, limit, goal } = input;
  if (cut === undefined) return undefined;
  const tail = tailFrom(conversation, cut);
  const bare = floorTokens(conversation) + tail.tokens;
  const summary = Math.min(MAX_SUMMARY, Math.floor((goal - conversation.head) * (1 - settings.tail.share)));
  const landed = Math.max(goal, bare + summary);
  return landed > limit ? undefined : yield* coverMiddle({ ...input, goal: landed }, tail, bare);
}

/** Is the whole budget to be used? Elsewhere what the tail leaves unused is left for what comes next. */
function fills({ goal, limit }: RungInput): boolean {
  return goal === limit;
}

/** Rung 3 with an empty tail. */
export const summarizeAll: Rung = function* (input) {
  const { conversation, goal, limit } = input;
  const tail = emptyTail(conversation);
  if (wholeTokens(conversation) > limit) return yield* cutNewest(input, tail);
  const floor = floorTokens(conversation);
  const tailLimit = tail.tokens > 0 ? Math.max(floor, Math.floor((floor + goal) / 2)) : floor;
  return yield* coverMiddle(input, tail, tailLimit);
};

/**
 * Head, last user message and the tail (cut to `tailLimit` tokens of view if need be), and a summary of the rest. The
 * unanswered round isn't cut as long as it fits the limit: older parts of the tail are.
 */
function* coverMiddle(input: RungInput, tail: Tail, tailLimit: number): Steps<Draft | undefined> {
  const { conversation, goal, limit, modest, settings } = input;
  const whole = wholeTokens(conversation);
  const end = whole <= limit ? conversation.structure.unanswered : undefined;
  const hiding = aroundTail(conversation, tail, dropped("budget"));
  if (!hiding.some((fate) => fate.type === "drop")) return undefined;
  const bare: Draft | undefined = shrinkParts({
    conversation,
    draft: { fates: hiding, inserts: [] },
    indexes: tailIndexes(conversation, tail, end),
    limit: Math.min(end === undefined ? tailLimit : Math.max(tailLimit, whole), limit),
    why: "tail-result",
    rules: input.rules,
  });
  yield;
  if (!bare) return undefined;
  const hidden = hiding.reduce(
    (sum, fate, index) => sum + (fate.type === "drop" ? conversation.tokens[index]! : 0),
    0,
  );
  const most = modest
    ? Math.min(Math.floor(hidden * MODEST_SHARE), MODEST_CAPS * settings.summary.cap, MAX_SUMMARY)
    : fills(input)
      ? Number.POSITIVE_INFINITY
      : MAX_SUMMARY;
  const cap = Math.min(most, goal - draftTokens(conversation, bare));
  if (input.spokenFor) return yield* withSummary(input, bare, Math.min(cap, hidden - 1));
  return (yield* withSummary(input, bare, cap)) ?? withoutSummary(input, bare.fates);
}

function* withSummary(input: RungInput, bare: Draft, cap: number): Steps<Draft | undefined> {
  const { conversation, settings } = input;
  const { messages, measure } = conversation;
  const fates = bare.fates.map((fate): Fate => (fate.type === "drop" ? { type: "cover", by: 0 } : fate));
  const place = summaryPlace(input, fates);
  const { role } = place;
  const frame = insertTokens(measure, { role, text: "" });
  if (cap <= frame) return undefined;
  const shownText = (index: number) => {
    const fate = fates[index]!;
    return fate.type === "edit" ? textOf(applyEdits(messages[index]!, fate.edits)) : undefined;
  };
  const hidden = coversOf({ fates, inserts: [{ message: { role, text: "" } }] })[0]!;
  // The ceiling holds for the whole message: what the format adds to a text is taken off first.
  const summary = yield* summaryMessageSteps({
    messages,
    hidden,
    visible: (index) => isShown(fates[index]!),
    shownText,
    cap: cap - frame,
    count: (text) => insertTokens(measure, { role, text }) - frame,
    shares: settings.shares,
    ...(input.focus !== undefined && { focus: input.focus }),
    // Where roles must alternate, the system prompt may be the only place left.
    narrative:
      role === "system" && saysUnproven(input) ? [] : shownRecords(input, hiddenEnd(conversation, fates)),
    narrativeRoom: narrativeRoom(input, cap),
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

/** The records that speak for hidden messages only. */
function shownRecords(
  { conversation, narrative = [] }: RungInput,
  end: number,
): { readonly text: string; readonly covers: Run }[] {
  const { start } = conversation.structure;
  return narrative
    .filter(({ covers }) => covers.to <= end)
    .map(({ text, covers }) => ({ text, covers: { from: start + covers.from, to: start + covers.to } }));
}

/** Tokens that records may take in a summary message of `cap`: half of it, and a little more beside a tail that took too much. */
function narrativeRoom(input: RungInput, cap: number): number {
  const { conversation, settings, goal, modest } = input;
  const usual = modest ? 0 : narrativeShare(settings, conversation, { goal, fills: fills(input) });
  const share = settings.shares.narrative === undefined ? cap * NARRATIVE_SHARE : 0;
  return Math.min(cap * MOST_NARRATIVE, Math.max(share, usual) * RECORDS_SLACK);
}

/** What a reader sees of a message: its texts, calls and results. */
function textOf(message: Message): string {
  return message.parts
    .map((part) => {
      switch (part.type) {
        case "text":
        case "tool-result":
          return part.text;
        case "tool-call":
          return `${part.name} ${part.args}`;
        case "file":
          return part.text ?? "";
        default:
          return "";
      }
    })
    .join("\n");
}
