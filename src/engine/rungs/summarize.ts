import type { Draft, Fate } from "../../core/draft.ts";
import { draftTokens, floorTokens, limitBesideCut, recordOfLong, wholeTokens } from "../conversation.ts";
import { shrinkParts } from "../shrink.ts";
import { landingRoom, landingTail, leastSummary, MAX_SUMMARY } from "../summary-room.ts";
import { chooseTail, emptyTail, newestUnit, type Tail, tailFrom, tailIndexes } from "../tail.ts";
import { coverBySummary, fills } from "./cover-by-summary.ts";
import { summaryPlace } from "./place-summary.ts";
import { aroundTail, dropped, type Rung, type RungInput, withoutSummary } from "./rung.ts";

/** Where a count of messages was the reason, a summary takes at most this share of what it hides. */
const MODEST_SHARE = 0.5;
/** … and at most this many times the narrative's ceiling: as much again for the user's words and the working set. */
const MODEST_CAPS = 2;
/** The note's size is known after the first of them. */
const NOTE_TRIES = 2;

/** Rung 3 without a model: the middle is covered by the user's words and the working set, the tail stays. */
export const summarize: Rung = async (input) => {
  const { conversation, settings, goal, limit: budget } = input;
  const room = landingRoom(conversation, settings, { goal, fills: fills(input), limit: budget });
  if (room.landing <= 0) return undefined;
  const ready = await atCut(input);
  if (ready) return ready;
  const newest = newestUnit(conversation);
  if (mustCutNewest(input)) return cutNewest(input, newest);
  const tail = landingTail(conversation, settings, room);
  const floor = floorTokens(conversation);
  const limit = floor + room.mostTail;
  const landed = settings.countedTail ? floor + tail.tokens + leastSummary(room.landing) : goal;
  return (
    (await coverMiddle({ ...input, goal: Math.max(goal, Math.min(landed, budget)) }, tail, limit)) ??
    (await coverMiddle(input, newest, limit)) ??
    (await coverMiddle(input, emptyTail(conversation), limit))
  );
};

/** The unanswered round doesn't fit even alone, beside a short record of all that came before it. */
function mustCutNewest({ conversation, limit }: RungInput): boolean {
  return wholeTokens(conversation) > limit - recordOfLong(conversation, limit);
}

/** The unanswered round, cut to what the limit leaves, and that record. */
async function cutNewest(input: RungInput, newest: Tail): Promise<Draft | undefined> {
  const { conversation, limit } = input;
  return coverMiddle({ ...input, goal: limit }, newest, limitBesideCut(conversation, limit));
}

/**
 * The conversation went on while its summary was being written. If what came since leaves room for the summary message,
 * the cut stays where the summary ends, so that every hidden message is spoken for by the model too.
 */
async function atCut(input: RungInput): Promise<Draft | undefined> {
  const { conversation, settings, cut, limit, goal } = input;
  if (cut === undefined) return undefined;
  const tail = tailFrom(conversation, cut);
  const bare = floorTokens(conversation) + tail.tokens;
  const summary = Math.min(MAX_SUMMARY, Math.floor((goal - conversation.head) * (1 - settings.tail.share)));
  const landed = Math.max(goal, bare + summary);
  return landed > limit ? undefined : coverMiddle({ ...input, goal: landed }, tail, bare);
}

/** Rung 3 with an empty tail. */
export const summarizeAll: Rung = async (input) => {
  const { conversation, goal } = input;
  const tail = emptyTail(conversation);
  if (mustCutNewest(input)) return cutNewest(input, tail);
  const floor = floorTokens(conversation);
  const tailLimit = tail.tokens > 0 ? Math.max(floor, Math.floor((floor + goal) / 2)) : floor;
  return coverMiddle(input, tail, tailLimit);
};

/**
 * Head, last user message and the tail (cut to `tailLimit` tokens of view if need be), and a summary of the rest. The
 * unanswered round isn't cut as long as it fits the limit beside a record: older parts of the tail are.
 */
async function coverMiddle(input: RungInput, tail: Tail, tailLimit: number): Promise<Draft | undefined> {
  const { conversation, goal, limit, modest, settings } = input;
  const whole = wholeTokens(conversation);
  const end = mustCutNewest(input) ? undefined : conversation.structure.unanswered;
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
  await input.pause();
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
  if (input.spokenFor) return withSummary(input, bare, Math.min(cap, hidden - 1));
  return (await withSummary(input, bare, cap)) ?? newestWhole(input) ?? withoutSummary(input, bare.fates);
}

/**
 * Where no summary fits: head, last user message, and newest whole messages. A small budget is used beyond the goal; a start
 * that somebody gave far below a large one is not, because the view would be above it at once.
 */
function newestWhole(input: RungInput): Draft | undefined {
  const { conversation, settings } = input;
  const goal = input.start < input.limit ? input.goal : Math.floor((input.goal + input.limit) / 2);
  let limit = goal - floorTokens(conversation);
  // A note about what isn't shown may be needed where a view would begin with a forbidden role: then it takes room, too.
  for (let tries = 0; tries < NOTE_TRIES && limit > 0; tries++) {
    const tail = chooseTail(conversation, { tail: { ...settings.tail, minMessages: 0 }, limit, soft: false });
    // What every view shows must be in it.
    if (tail.from > emptyTail(conversation).from) return undefined;
    const fates = aroundTail(conversation, tail, dropped("budget"));
    if (!fates.some((fate) => fate.type === "drop")) return undefined;
    const draft = withoutSummary(input, fates);
    const over = draftTokens(conversation, draft) - goal;
    if (over <= 0) return draft;
    limit = Math.min(limit, tail.tokens) - over;
  }
  return undefined;
}

async function withSummary(input: RungInput, bare: Draft, cap: number): Promise<Draft | undefined> {
  const fates = bare.fates.map((fate): Fate => (fate.type === "drop" ? { type: "cover", by: 0 } : fate));
  return coverBySummary(input, fates, summaryPlace(input, fates), cap);
}
