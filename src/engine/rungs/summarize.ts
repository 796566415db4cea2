import { coversOf, type Draft, type Fate, isShown } from "../../core/draft.ts";
import { applyEdits } from "../../core/edits.ts";
import type { Steps } from "../../core/steps.ts";
import type { Message, Run } from "../../core/types.ts";
import { summaryMessageSteps } from "../../summaries/summary-message.ts";
import { draftTokens, floorTokens, hiddenEnd, insertTokens, wholeTokens } from "../conversation.ts";
import { narrativeShare, RECORDS_SLACK } from "../narrative-share.ts";
import { shrinkParts } from "../shrink.ts";
import { chooseTail, emptyTail, newestUnit, type Tail, tailFrom, tailIndexes } from "../tail.ts";
import { placeSummary, summaryPlace } from "./place-summary.ts";
import { aroundTail, dropped, type Rung, type RungInput, saysUnproven, withoutSummary } from "./rung.ts";

/** A summary message larger than this would crowd out the tail that large budgets have room for (tokens). */
const MAX_SUMMARY = 12_000;
/** The summary message should have at least this share of the landing, so an oversized tail is cut to the rest. */
const LEAST_SUMMARY_SHARE = 0.3;
/**
 * A round that doesn't fit even alone is cut and gets all the room there is, but for this share of it: an agent that
 * doesn't know what it has done begins anew.
 */
const RECORD_BESIDE_CUT = 0.05;
/** Where a count of messages was the reason, a summary takes at most this share of what it hides. */
const MODEST_SHARE = 0.5;
/** … and at most this many times the narrative's ceiling: as much again for the user's words and the working set. */
const MODEST_CAPS = 2;
/** Below this share of the transcript, old results in the tail are clipped from the start. */
const SOFT_BELOW = 0.25;
/**
 * Where the budget is a small share of the transcript, lines chosen from all of it carry more than whole messages of its
 * end: the tail gets this share of the landing, one unit will do, and the summary has at least so much
 * (docs/decisions/0010).
 */
const SOFT_TAIL_SHARE = 0.15;
const SOFT_SUMMARY_SHARE = 0.8;
/** Where a budget is to be filled, the summary may be larger before it makes way for a longer tail (tokens). */
const MAX_FILLING_SUMMARY = 24_000;

/** Rung 3 without a model: the middle is covered by the user's words and the working set, the tail stays. */
export const summarize: Rung = function* (input) {
  const { conversation, settings, goal } = input;
  const floor = floorTokens(conversation);
  const landing = goal - floor;
  if (landing <= 0) return undefined;
  const ready = yield* atCut(input);
  if (ready) return ready;
  const newest = newestUnit(conversation);
  if (wholeTokens(conversation) > input.limit) return yield* cutNewest(input, newest);
  const soft = goal < SOFT_BELOW * conversation.total;
  const small = soft && settings.freeTail;
  const tailShare = small ? SOFT_TAIL_SHARE : settings.tail.share;
  const share = settings.tail.tokens ?? Math.floor(landing * tailShare);
  const limit = Math.max(share, landing - (small && fills(input) ? MAX_FILLING_SUMMARY : MAX_SUMMARY));
  const tail = chooseTail(conversation, {
    tail: small ? { ...settings.tail, minMessages: 1 } : settings.tail,
    limit,
    soft,
  });
  const most = Math.floor(landing * (1 - (small ? SOFT_SUMMARY_SHARE : LEAST_SUMMARY_SHARE)));
  const within = floor + Math.max(limit, most);
  return (
    (yield* coverMiddle(input, tail, within)) ??
    (yield* coverMiddle(input, newest, within)) ??
    (yield* coverMiddle(input, emptyTail(conversation), within))
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
      role === "system" && saysUnproven(input)
        ? []
        : shownRecords(input, cap, hiddenEnd(conversation, fates)),
    ...(input.isOurs && { isOurs: input.isOurs }),
    ...(role === "system" && {
      apart: {
        count: (text: string) => insertTokens(measure, { role: "user", text }),
        always: place.needsUser,
      },
    }),
  });
  return summary && placeSummary(input, fates, place, summary);
}

/** The records that speak for hidden messages only, the newest within the narrative's share. */
function shownRecords(
  { conversation, settings, narrative = [], goal, modest }: RungInput,
  cap: number,
  end: number,
): { readonly text: string; readonly covers: Run }[] {
  const { start } = conversation.structure;
  // A tail that took more than its share doesn't hide what a model wrote.
  const landing = Math.max(cap / (1 - settings.tail.share), modest ? 0 : goal - conversation.head);
  const share = narrativeShare(settings, landing);
  const shown: { readonly text: string; readonly covers: Run }[] = [];
  let used = 0;
  for (const { text, covers, tokens } of narrative.toReversed()) {
    if (covers.to > end) continue;
    used += tokens.text;
    if (used > share * RECORDS_SLACK) break;
    shown.unshift({ text, covers: { from: start + covers.from, to: start + covers.to } });
  }
  return shown;
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
