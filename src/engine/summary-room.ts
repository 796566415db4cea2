import type { TailOptions } from "../core/types.ts";
import { type Conversation, floorTokens } from "./conversation.ts";
import type { Settings } from "./settings.ts";
import { chooseTail, type Tail } from "./tail.ts";

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
 * (docs/decisions/0010).
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
