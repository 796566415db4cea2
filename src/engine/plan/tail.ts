import { clipText } from "../../core/clip.ts";
import { noteFor } from "../../core/collections.ts";
import { editableParts } from "../../core/edits.ts";
import { isOnlyReasoning } from "../../core/rounds.ts";
import type { Edit, Message, TailOptions } from "../../core/types.ts";
import { type Conversation, floorTokens, mustShow, newestSpeaks } from "../read/conversation.ts";
import type { Settings } from "../settings/settings.ts";

/** The newest messages of a tail whose results stay whole as long as anything else can give way. */
const UNTOUCHED_MESSAGES = 2;
/** What an older result inside the tail keeps when the budget is a small share of the transcript. */
const SOFT_RESULT_TOKENS = 150;
const SOFT_WORTH_IT = 1.25;

/** The end of the transcript that stays word for word (old results in it may be clipped). */
export interface Tail {
  /** First message of the tail; the transcript's length for an empty one. */
  readonly from: number;
  /** Tokens of its messages, without those that every view shows anyway. */
  readonly tokens: number;
  readonly edits: ReadonlyMap<number, readonly Edit[]>;
}

/**
 * Chooses the tail: whole units from the newest backwards, within `limit` tokens and the counts that the host set.
 * A tail that is too big gets fewer units, but not fewer than `minMessages` messages; then its old results are clipped.
 * A round that the model hasn't answered yet belongs to it whole, whatever its size. A tail inside of a tool loop begins with a thought
 * if the provider wants that and the loop has one.
 */
export function chooseTail(
  conversation: Conversation,
  options: {
    readonly tail: TailOptions & { readonly minMessages: number };
    readonly limit: number;
    /** Clip results older than the last two messages from the start. */
    readonly soft: boolean;
  },
): Tail {
  const { messages, structure } = conversation;
  const { tail, limit } = options;
  const earliest = Math.min(earliestStart(conversation, tail), structure.unanswered);
  const untouched = Math.min(messages.length - UNTOUCHED_MESSAGES, structure.unanswered);
  const edits = new Map<number, readonly Edit[]>();
  let from = messages.length;
  let tokens = 0;
  let led: Tail | undefined;
  for (let at = structure.units.length - 1; at >= 0; at--) {
    const unit = structure.units[at]!;
    if (unit.from < earliest) break;
    const needed = messages.length - from < tail.minMessages || unit.from >= structure.unanswered;
    const whole = unitTokens(conversation, unit.from, unit.to, new Map());
    const clips =
      options.soft || (needed && tokens + whole > limit)
        ? clipResults(conversation, unit.from, Math.min(unit.to, untouched))
        : new Map<number, readonly Edit[]>();
    const size = clips.size > 0 ? unitTokens(conversation, unit.from, unit.to, clips) : whole;
    if (tokens + size > limit && !needed) break;
    tokens += size;
    from = unit.from;
    for (const [index, one] of clips) edits.set(index, one);
    const isInLoop = conversation.leads && from > (structure.lastUser ?? -1);
    if (!isInLoop || messages[from]!.parts[0]?.type === "reasoning")
      led = { from, tokens, edits: new Map(edits) };
  }
  return led ?? { from, tokens, edits };
}

/** The unanswered round, or else the newest unit that holds more than reasoning, whatever its size, and what follows it. */
export function newestUnit(conversation: Conversation): Tail {
  return tailFrom(conversation, Math.min(newestStart(conversation), conversation.structure.unanswered));
}

/** First message of the newest unit that holds more than reasoning. */
function newestStart({ structure, messages }: Conversation): number {
  const unit = structure.units.findLast(({ from, to }) => !messages.slice(from, to).every(isOnlyReasoning));
  return unit && unit.from >= structure.start ? unit.from : messages.length;
}

/**
 * No tail at all, but for the round that the model hasn't answered yet: without its results the model would ask for them
 * again and again. A newest message in which the user speaks beside results stays, too.
 */
export function emptyTail(conversation: Conversation): Tail {
  if (newestSpeaks(conversation)) return newestUnit(conversation);
  return tailFrom(conversation, conversation.structure.unanswered);
}

/** Nothing but head and last user message; a newest message in which the user speaks beside results stays with its round. */
export function leastTail(conversation: Conversation): Tail {
  const { length } = conversation.messages;
  return tailFrom(conversation, newestSpeaks(conversation) ? newestStart(conversation) : length);
}

/** Everything from a message on. */
export function tailFrom(conversation: Conversation, from: number): Tail {
  return {
    from,
    tokens: unitTokens(conversation, from, conversation.messages.length, new Map()),
    edits: new Map(),
  };
}

/** Messages of the tail that may be shortened, up to `to`. */
export function tailIndexes(
  conversation: Conversation,
  tail: Tail,
  to: number = conversation.messages.length,
): number[] {
  const indexes: number[] = [];
  for (let index = tail.from; index < to; index++) if (!mustShow(conversation, index)) indexes.push(index);
  return indexes;
}

/** The first message that the counts of the tail options allow. */
export function earliestStart({ messages, structure }: Conversation, tail: TailOptions): number {
  const starts = [structure.start];
  if (tail.messages !== undefined) {
    // Snapped to whole units: one that is cut by the count is taken in whole.
    const at = Math.max(structure.start, messages.length - tail.messages);
    starts.push(structure.units[structure.unitOf[at] ?? -1]?.from ?? at);
  }
  if (tail.turns !== undefined) starts.push(structure.turns.at(-tail.turns)?.from ?? structure.start);
  if (tail.rounds !== undefined) {
    const rounds = structure.units.filter((unit) => unit.kind === "round");
    starts.push(rounds.at(-tail.rounds)?.from ?? structure.start);
  }
  return Math.max(...starts);
}

function unitTokens(
  conversation: Conversation,
  from: number,
  to: number,
  edits: ReadonlyMap<number, readonly Edit[]>,
): number {
  let sum = 0;
  for (let index = from; index < to; index++) {
    if (mustShow(conversation, index)) continue;
    sum += conversation.tokens[index]! - savedBy(conversation, index, edits.get(index));
  }
  return sum;
}

function savedBy(
  { measure, messages }: Conversation,
  index: number,
  edits: readonly Edit[] | undefined,
): number {
  const parts = editableParts(messages[index]!);
  return (edits ?? []).reduce((sum, edit) => {
    const part = edit.type === "replace" ? parts[edit.part] : undefined;
    return part?.type === "tool-result" && edit.type === "replace"
      ? sum + measure.text(part.text) - measure.text(edit.text)
      : sum;
  }, 0);
}

function clipResults(conversation: Conversation, from: number, to: number): Map<number, readonly Edit[]> {
  const { messages, measure } = conversation;
  const clips = new Map<number, readonly Edit[]>();
  for (let index = from; index < to; index++) {
    if (mustShow(conversation, index)) continue;
    const edits = clipMessage(messages[index]!, measure.text);
    if (edits.length > 0) clips.set(index, edits);
  }
  return clips;
}

function clipMessage(message: Message, count: (text: string) => number): Edit[] {
  return editableParts(message).flatMap((part, at): Edit[] => {
    if (part.type !== "tool-result" || part.locked || part.media?.length) return [];
    if (count(part.text) <= SOFT_RESULT_TOKENS * SOFT_WORTH_IT) return [];
    const text = clipped(part, [count], () => clipText(part.text, SOFT_RESULT_TOKENS, count));
    return text === undefined ? [] : [{ type: "replace", part: at, text, why: "tail-result" }];
  });
}

/** One `fit` asks several times, and a text of tens of megabytes takes its time. */
const clipped = noteFor<string | undefined>();

/** How a landing is divided between tail and summary message: known before the summary is written, and when it is shown. */

/** A summary message larger than this would crowd out the tail that large budgets have room for (tokens). */
export const MAX_SUMMARY = 12_000;
/** Where a budget is to be filled, the summary may be larger before it makes way for a longer tail (tokens). */
const MAX_FILLING_SUMMARY = 24_000;
/** Below this share of the transcript, old results in the tail are clipped from the start. */
const SOFT_BELOW = 0.25;
/**
 * Where the budget is a small share of the transcript, lines chosen from all of it carry more than whole messages of its
 * end: the tail gets this share of the landing, one unit will do, and the summary has at least so much
 * (docs/decisions/0018).
 */
const SOFT_TAIL_SHARE = 0.15;
const SOFT_SUMMARY_SHARE = 0.8;
/** The summary message should have at least this share of the landing, so an oversized tail is cut to the rest. */
const LEAST_SUMMARY_SHARE = 0.3;

/** What a landing of so many tokens has room for. */
export interface LandingRoom {
  /** Tokens beside what every view shows. */
  readonly landing: number;
  /** The budget is a small share of the transcript, and the tail is precis's to size. */
  readonly small: boolean;
  readonly soft: boolean;
  /** Tokens that the tail may have. */
  readonly tail: number;
  /** Tokens that an oversized tail is cut to. */
  readonly mostTail: number;
  /** Tokens that the summary message has beside such a tail. */
  readonly summary: number;
}

/** Divides a landing. `fills`: the whole budget is to be used. `limit`: up to which a tail holds whose size somebody gave as a number. */
export function landingRoom(
  conversation: Conversation,
  settings: Settings,
  { goal, fills, limit = goal }: { readonly goal: number; readonly fills: boolean; readonly limit?: number },
): LandingRoom {
  const floor = floorTokens(conversation);
  const landing = goal - floor;
  const soft = goal < SOFT_BELOW * conversation.total;
  const small = soft && settings.freeTail;
  const share = settings.tail.tokens ?? Math.floor(landing * (small ? SOFT_TAIL_SHARE : settings.tail.share));
  const most = small && fills ? MAX_FILLING_SUMMARY : MAX_SUMMARY;
  const tail = Math.max(share, landing - most);
  const mostTail = Math.max(
    tail,
    Math.floor(landing * (1 - (small ? SOFT_SUMMARY_SHARE : LEAST_SUMMARY_SHARE))),
  );
  const summary = Math.max(0, landing - tail);
  if (!settings.countedTail) return { landing, small, soft, tail, mostTail, summary };
  const counted = Math.max(tail, limit - floor - leastSummary(landing));
  return { landing, small, soft, tail: counted, mostTail: counted, summary };
}

/** Tokens that a summary message has at least beside a tail whose size somebody gave as a number. */
export function leastSummary(landing: number): number {
  return Math.min(MAX_SUMMARY, Math.floor(landing * LEAST_SUMMARY_SHARE));
}

export function landingTail(conversation: Conversation, settings: Settings, room: LandingRoom): Tail {
  const tail: TailOptions & { readonly minMessages: number } = room.small
    ? { ...settings.tail, minMessages: 1 }
    : settings.tail;
  return chooseTail(conversation, { tail, limit: room.tail, soft: room.soft });
}
