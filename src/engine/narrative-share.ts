import type { Conversation } from "./conversation.ts";
import type { Settings } from "./settings.ts";
import { landingRoom, MAX_SUMMARY } from "./summary-room.ts";

/**
 * Share of the summary message that model-written records may take together: prose says why, lines say what exactly. In a
 * small message there isn't room for both, and prose is what a reader understands.
 */
const NARRATIVE_SHARE = 0.5;
const SMALL_NARRATIVE_SHARE = 0.65;
/** Messages up to the first size count as small, from the second on they have room for both (tokens). */
const SMALL_MESSAGE = 1_500;
const LARGE_MESSAGE = 3_000;
/** Beside a tail that takes nearly all, records may still have this share of the landing. */
const LEAST_SHARE = 0.25;
/** A record has at least this length (tokens): a shorter one says next to nothing. Only a host that sets a smaller cap wants it so. */
export const LEAST_RECORD = 200;
/**
 * With room for fewer records than this, the newest ones would take nearly all of it, and most of what the first ones say would
 * be trimmed: readers knew 13 points less after ten compactions in a row than after one, and 5 less from one record that takes
 * in what is new.
 */
const LEAST_RECORDS = 10;
/** Pointers don't count against a record's ceiling, but they take room: about so much of a text with one on every line. */
const WITH_POINTERS = 1.12;
/** A record of few messages needn't be as long as one of many: this share of what it replaces is enough. */
const SOURCE_SHARE = 0.2;

/** Tokens of a summary message of this size that records may take. */
export function narrativePart(message: number): number {
  const small = Math.min(1, Math.max(0, (LARGE_MESSAGE - message) / (LARGE_MESSAGE - SMALL_MESSAGE)));
  return message * (NARRATIVE_SHARE + (SMALL_NARRATIVE_SHARE - NARRATIVE_SHARE) * small);
}

/** Tokens that all records together may take in the summary message of a landing. */
export function narrativeShare(
  settings: Settings,
  conversation: Conversation,
  landing: { readonly goal: number; readonly fills: boolean },
): number {
  const { summary, strategy } = settings;
  const room = landingRoom(conversation, settings, landing);
  // Without a tail the summary has its share, too.
  const message = strategy === "summarize-and-drop" ? Math.min(room.landing, MAX_SUMMARY) : room.summary;
  const share = Math.max(0, narrativePart(message), room.landing * LEAST_SHARE);
  return Math.min(summary.cap, Math.floor(share));
}

/**
 * Tokens of a record's text, pointers not counted, that has so much room and replaces so much. However little that is, it gets
 * enough to say something, but never more than all records together may have.
 */
export function recordLength({
  room,
  source = Infinity,
  cap,
}: {
  readonly room: number;
  readonly source?: number;
  readonly cap: number;
}): number {
  const most = Math.min(room / WITH_POINTERS, source * SOURCE_SHARE);
  return Math.floor(Math.min(cap / WITH_POINTERS, Math.max(LEAST_RECORD, most)));
}

/** Where hardly more than one record would be shown, there is one, which takes in what is new. The host may say otherwise. */
export function isRolling({ summary }: Settings, share: number): boolean {
  return summary.merge === undefined ? share < LEAST_RECORDS * LEAST_RECORD : summary.merge === "rolling";
}
