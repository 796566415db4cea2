import { clipText } from "../../core/clip.ts";
import { coversOf, type Draft, type Fate, type Insert, isShown, KEEP } from "../../core/draft.ts";
import { editableParts } from "../../core/edits.ts";
import type { Unit } from "../../core/rounds.ts";
import type { Run, ToolCallPart, ToolResultPart } from "../../core/types.ts";
import { escapeLine, escapeText } from "../../summaries/text/escape.ts";
import { LINE_BREAK } from "../../summaries/text/look-alikes.ts";
import { withPlantMark } from "../../summaries/text/plants.ts";
import { headName, reframe } from "../../summaries/write/sections.ts";
import {
  chooseTail,
  emptyTail,
  landingRoom,
  landingTail,
  leastSummary,
  MAX_SUMMARY,
  newestUnit,
  type Tail,
  tailFrom,
  tailIndexes,
} from "../plan/tail.ts";
import { ARGS_TOKENS, RESULT_TOKENS, recordFor, roundRuns, roundsEnd } from "../plan/wanted-run.ts";
import {
  type Conversation,
  draftTokens,
  floorTokens,
  limitBesideCut,
  mustShow,
  recordOfLong,
  shownInsertTokens,
  wholeTokens,
} from "../read/conversation.ts";
import { usesSummaries } from "../settings/settings.ts";
import { coverBySummary, fills, type SummaryPlace, summaryPlace } from "./cover-by-summary.ts";
import { shrinkParts } from "./drop.ts";
import { aroundTail, dropped, type Rung, type RungInput, withoutSummary } from "./step.ts";

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

/** Shares of what it hides that a summary of a range may take, tried in turn: a short range needs more of its length. */
const SHARES = [0.35, 0.6];
/** A summary between other messages stands where they stood; it never speaks as system text. */
const INSIDE: SummaryPlace = { role: "user", merged: false, needsUser: false };

/** Hides the messages that a person chose behind a summary of their own; everything else stays as the view shows it. */
export const summarizeRange: Rung = async (input) => {
  const { conversation, current, limit, range, settings } = input;
  if (!range) return undefined;
  const hides = (index: number) => index >= range.from && index < range.to && !mustShow(conversation, index);
  if (!usesSummaries(settings.strategy)) return dropRange(input, hides);
  const isFront = range.from === conversation.structure.start;
  const others = otherInserts(current, range, isFront);
  const stays = new Map(others.map(({ by }, at) => [by, at]));
  // What other summaries speak for isn't shown either, and is theirs again afterwards.
  const fates = current.fates.map((fate, index): Fate => {
    if (hides(index)) return { type: "cover", by: 0 };
    if (fate.type === "cover") return dropped("budget");
    return isFront ? withoutOldSummary(fate) : fate;
  });
  const bare = draftTokens(conversation, { fates, inserts: others.map(({ insert }) => insert) });
  const shown = shownTokens(conversation, current, hides);
  const standing = current.inserts.reduce(
    (sum, insert, by) => sum + (stays.has(by) ? 0 : shownInsertTokens(conversation, insert)),
    0,
  );
  const place = isFront ? summaryPlace(input, fates) : INSIDE;
  for (const share of SHARES) {
    const cap = Math.min(MAX_SUMMARY, limit - bare, Math.floor(standing + shown * share));
    const made = await coverBySummary({ ...input, goal: bare + cap }, fates, place, cap);
    if (made) return withOthers(made, current, hides, others);
  }
  return undefined;
};

/** A strategy that writes no summaries leaves the range out. */
function dropRange(input: RungInput, hides: (index: number) => boolean): Draft {
  return withoutSummary(
    input,
    input.current.fates.map((fate, index) =>
      hides(index) || fate.type === "cover" ? dropped("strategy") : fate,
    ),
  );
}

/** The inserts of a view that a summary of the range doesn't replace. */
function otherInserts(
  current: Draft,
  range: Run,
  isFront: boolean,
): { readonly insert: Insert; readonly by: number }[] {
  const covers = coversOf(current);
  return current.inserts.flatMap((insert, by) => {
    const [first] = covers[by]!;
    // What covers nothing belongs to a summary of the beginning that stands in the system prompt.
    const stays = first ? first.from < range.from || first.from >= range.to : !isFront;
    return stays ? [{ insert, by }] : [];
  });
}

/** A message without the summary that was appended to it. */
function withoutOldSummary(fate: Fate): Fate {
  if (fate.type !== "edit") return fate;
  const edits = fate.edits.filter(({ why }) => why !== "summary");
  return edits.length === 0 ? KEEP : edits.length === fate.edits.length ? fate : { type: "edit", edits };
}

/** Tokens of what a view shows now and is to hide. */
function shownTokens(conversation: Conversation, current: Draft, hides: (index: number) => boolean): number {
  return current.fates.reduce((sum, fate, index) => {
    if (!hides(index) || !isShown(fate)) return sum;
    const tokens =
      fate.type === "edit" ? conversation.editedTokens(index, fate.edits) : conversation.tokens[index]!;
    return sum + tokens;
  }, 0);
}

function withOthers(
  made: Draft,
  current: Draft,
  hides: (index: number) => boolean,
  others: readonly { readonly insert: Insert; readonly by: number }[],
): Draft {
  const place = new Map(others.map(({ by }, at) => [by, made.inserts.length + at]));
  return {
    inserts: [...made.inserts, ...others.map(({ insert }) => insert)],
    fates: made.fates.map((fate, index): Fate => {
      const before = current.fates[index]!;
      return before.type === "cover" && !hides(index) ? { type: "cover", by: place.get(before.by)! } : fate;
    }),
  };
}

const ROUNDS_SUMMARY = "Summary of previous tool interaction (";

/**
 * Rung 3 on completed rounds only: each run of rounds in the middle becomes one message, by the records that a model wrote
 * of them, and for the rest a line per call.
 */
export const summarizeRounds: Rung = async (input) => {
  const { conversation, current, settings, goal, rules, rounds = new Map() } = input;
  const { start } = conversation.structure;
  const isUnproven = [...rounds.values()].some(({ unproven }) => unproven);
  const mayBeSystem = settings.placement !== "user" && rules.system === "message" && !isUnproven;
  const fates: Fate[] =
    current.inserts.length > 0 ? conversation.messages.map(() => KEEP) : [...current.fates];
  const inserts: Insert[] = [];
  for (const run of roundRuns(conversation, roundsEnd(conversation, settings, goal))) {
    await input.pause();
    const lines: string[] = [];
    let isQuoted = false;
    let isFramed = false;
    let rest: readonly Unit[] = run;
    while (rest.length > 0) {
      const sealed = recordFor(rest, rounds, start);
      const units = sealed?.units ?? rest.slice(0, 1);
      rest = sealed?.rest ?? rest.slice(1);
      // What an earlier compaction dropped stays dropped: a line about it would speak for nothing.
      const shown = units.filter((unit) => fates.slice(unit.from, unit.to).some(isShown));
      if (shown.length === 0) continue;
      for (const { from, to } of units)
        for (let index = from; index < to; index++)
          if (isShown(fates[index]!)) fates[index] = { type: "cover", by: inserts.length };
      if (sealed) {
        lines.push(recordLine(conversation, units, sealed.record.text));
        isFramed ||= sealed.record.unproven === true;
      } else {
        isQuoted = true;
        lines.push(...units.flatMap((unit) => roundLines(conversation, unit)));
      }
    }
    // What a tool said never speaks in the system's role; what a model wrote about it and was accepted may.
    const role = mayBeSystem && !isQuoted ? "system" : "user";
    const text = lines.join("\n").toWellFormed();
    // Nobody vouches for a record of an unsigned state: without a frame, it would speak in the user's own voice.
    if (lines.length > 0) inserts.push({ message: { role, text: isFramed ? reframe(text) : text } });
  }
  const draft: Draft = { fates, inserts };
  return inserts.length > 0 && draftTokens(conversation, draft) <= input.limit ? draft : undefined;
};

/** What code alone would write in place of the rounds that an insert of a draft speaks for; undefined where it speaks for others. */
export function roundsText(conversation: Conversation, { fates }: Draft, insert: number): string | undefined {
  const isCovered = (fate: Fate) => fate.type === "cover" && fate.by === insert;
  const units = conversation.structure.units.filter(({ from, to }) => fates.slice(from, to).some(isCovered));
  if (units.length === 0 || units.some(({ kind }) => kind !== "round")) return undefined;
  return units
    .flatMap((unit) => roundLines(conversation, unit))
    .join("\n")
    .toWellFormed();
}

/** What a model wrote about several rounds. */
function recordLine({ messages }: Conversation, units: readonly Unit[], text: string): string {
  const names = new Set(
    units.flatMap(({ from, to }) =>
      messages
        .slice(from, to)
        .flatMap(({ parts }) =>
          parts.flatMap((part) => (part.type === "tool-call" ? [headName(part.name, "tool")] : [])),
        ),
    ),
  );
  return `${ROUNDS_SUMMARY}${[...names].join(", ")}): ${escapeText(text).replaceAll("\n", "\n ")}`;
}

/** One line per call: name, arguments, result. */
function roundLines({ messages, structure, measure }: Conversation, unit: Unit): string[] {
  // One line each: the next line begins with words of ours.
  const clip = (text: string, tokens: number) =>
    escapeLine(
      clipText(text.trim(), tokens, (piece) => measure.text(piece))
        ?.split(LINE_BREAK)
        .map((line) => line.trim())
        .join(" ") ?? "…",
    );
  const own = structure.pairs.filter(({ call }) => call.index >= unit.from && call.index < unit.to);
  const results = new Map(own.map(({ call, result }) => [`${call.index}:${call.part}`, result]));
  const lines: string[] = [];
  for (let index = unit.from; index < unit.to; index++) {
    for (const [part, call] of editableParts(messages[index]!).entries()) {
      if (call.type === "text" && call.text.trim()) lines.push(clip(call.text, RESULT_TOKENS));
      if (call.type !== "tool-call") continue;
      const at = results.get(`${index}:${part}`);
      const result = at && (editableParts(messages[at.index]!)[at.part] as ToolResultPart);
      lines.push(callLine(call, result, clip));
    }
  }
  return lines;
}

function callLine(
  call: ToolCallPart,
  result: ToolResultPart | undefined,
  clip: (text: string, tokens: number) => string,
): string {
  const said = result && clip(result.text, RESULT_TOKENS);
  const answer =
    said === undefined ? "no result" : `${result?.error ? "failed: " : ""}${withPlantMark(said)}`;
  return `${ROUNDS_SUMMARY}${headName(call.name, "tool")}): ${clip(call.args, ARGS_TOKENS)} → ${answer}`;
}
