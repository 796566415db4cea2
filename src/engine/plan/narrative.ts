import { contentHash } from "../../core/hash.ts";
import type { Run, Summary } from "../../core/types.ts";
import { PROMPTS } from "../../summaries/prompts/index.ts";
import type { Conversation } from "../read/conversation.ts";
import type { Operation } from "../read/survey.ts";
import type { Settings } from "../settings/settings.ts";
import { landingRoom, MAX_SUMMARY } from "./tail.ts";

/** Records that are valid for a transcript, put together to speak for its beginning. */
export interface Narrative {
  /** Oldest first, without gaps. */
  readonly records: readonly Summary[];
  /** Up to which message (after the leading system messages) they speak. */
  readonly sealed: number;
}

const ROUNDS_PROMPT = `${PROMPTS["tool-rounds"].id}@`;

/** A record about rounds speaks for them alone: it is no part of the story of a whole conversation. */
export const isAboutRounds = ({ prompt }: Pick<Summary, "prompt">): boolean =>
  prompt.startsWith(ROUNDS_PROMPT);

/** What names a summary: everything that it was made from. */
export function summaryKey(source: {
  readonly hash: string;
  readonly covers: Run;
  readonly prompt: string;
  readonly model: string;
  readonly focus: string | undefined;
  readonly cap: number;
  /** When it was asked for anew: a rebuilt record is another one. */
  readonly anew?: number | undefined;
}): string {
  const { hash, covers, prompt, model, focus = "", cap, anew } = source;
  return contentHash(
    JSON.stringify([
      hash,
      covers.from,
      covers.to,
      prompt,
      model,
      focus,
      // A cap that differs by a few tokens asks for the same summary: nobody shall pay for it twice.
      Math.round(Math.log2(Math.max(1, cap)) * 2),
      ...(anew === undefined ? [] : [anew]),
    ]),
  );
}

/**
 * The records that fit this transcript, chosen from the front: at each place what a person decided first (a record in a
 * person's own words, for good; a rebuilt one, until a merge takes it in), then the one that reaches farthest (a merge
 * speaks for its parts), then the newest. `most` keeps the tail out; `from` is where they begin.
 */
export function narrativeOf(
  summaries: readonly Summary[],
  chain: readonly string[],
  most: number,
  from = 0,
): Narrative {
  const valid = summaries.filter(
    (one) =>
      one.covers.to > one.covers.from &&
      one.covers.to <= most &&
      chain[one.covers.to] === one.hash &&
      one.text.length > 0 &&
      !isAboutRounds(one),
  );
  const all = joined(valid, from);
  const own = valid.filter((one) => isOwn(one) && !isRebuilt(one, valid));
  if (own.length === 0) return all;
  const kept = joined(
    valid.filter((one) => isOwn(one) || !own.some((words) => speaksFor(one, words))),
    from,
  );
  // Where the parts beside a person's words are gone (a state keeps only so many), a merge is better than nothing.
  return kept.sealed < all.sealed ? all : kept;
}

function joined(valid: readonly Summary[], from: number): Narrative {
  const byStart = Map.groupBy(valid, ({ covers }) => covers.from);
  const records: Summary[] = [];
  let sealed = from;
  for (;;) {
    const candidates = byStart.get(sealed);
    if (!candidates) return { records, sealed };
    const best = candidates.reduce((a, b) => (isBetter(b, a) ? b : a));
    records.push(best);
    sealed = best.covers.to;
  }
}

/** In a person's own words. */
export function isOwn({ author }: Pick<Summary, "author">): boolean {
  return author === "user";
}

/** A person had the messages of their words summarised anew since. */
function isRebuilt(own: Summary, all: readonly Summary[]): boolean {
  return all.some(
    ({ anew, at, covers }) =>
      anew && at >= own.at && covers.from < own.covers.to && own.covers.from < covers.to,
  );
}

/** A record that would stand where a person's words stand. */
function speaksFor({ covers }: Summary, own: Summary): boolean {
  return covers.from <= own.covers.from && covers.to >= own.covers.to;
}

function isBetter(a: Summary, b: Summary): boolean {
  if (isDecided(a) !== isDecided(b)) return isDecided(a) ? !takesIn(b, a) : takesIn(a, b);
  if (isDecided(a) && a.at !== b.at) return a.at > b.at;
  if (a.covers.to !== b.covers.to) return a.covers.to > b.covers.to;
  if (a.level !== b.level) return a.level > b.level;
  return a.at !== b.at ? a.at > b.at : a.key > b.key;
}

/** Written or asked for by a person. */
function isDecided(one: Summary): boolean {
  return isOwn(one) || one.anew === true;
}

/** One that was made from this record, or from one that it replaced: a merge, or the one record that goes on. */
function takesIn(merge: Summary, part: Summary): boolean {
  return (merge.level > part.level || merge.covers.to > part.covers.to) && merge.at >= part.at;
}

/** Records that would be shown with fewer tokens than this each become one, however many of a level there are. */
const LEAST_SHOWN = 100;

/**
 * The oldest `fanout` records of the lowest level that has so many, when all together outgrow their share. Where so many
 * never come together before each of them is shown with a line or two: all but the newest. A person's own words are never
 * merged, so only what stands between them is.
 */
export function mergeDue(
  narrative: Narrative,
  share: number,
  fanout: number,
): readonly Summary[] | undefined {
  const { records } = narrative;
  const total = records.reduce((sum, record) => sum + record.tokens.text, 0);
  if (total <= share) return undefined;
  const runs = betweenOwn(records);
  const levels = runs.flat().map(({ level }) => level);
  for (let level = Math.min(...levels); level <= Math.max(...levels); level++) {
    for (const between of runs) {
      const from = between.findIndex((record) => record.level === level);
      const run = between.slice(from, from + fanout);
      if (run.length === fanout && run.every((record) => record.level === level)) return run;
    }
  }
  if (records.length <= 2 || share >= LEAST_SHOWN * records.length) return undefined;
  return betweenOwn(records.slice(0, -1)).find(({ length }) => length > 1);
}

/** Neighbouring records that a model wrote. */
function betweenOwn(records: readonly Summary[]): Summary[][] {
  const runs: Summary[][] = [[]];
  for (const record of records) {
    if (isOwn(record)) runs.push([]);
    else runs.at(-1)!.push(record);
  }
  return runs.filter(({ length }) => length > 0);
}

/** A record that comes when others stand may have this share of the room, even if those are shown with fewer lines then. */
const NEXT_SHARE = 0.5;

/**
 * Tokens that the next record has room for beside those that stand. The first may take all of the share, and so may any
 * that finds it free: most conversations are compacted once to five times. Later ones have half of it; what all of them
 * together have too much is left out line by line when they are shown, the least important first (`renderNarrative`).
 */
export function recordRoom(records: readonly Summary[], share: number): number {
  const taken = records.reduce((sum, record) => sum + record.tokens.text, 0);
  return Math.floor(Math.max(share - taken, share * NEXT_SHARE));
}

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
/** Beside a long message there may be room for no more than a few sentences, which the prompt then asks for (tokens). */
export const LEAST_SENTENCES = 100;
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
  return Math.floor(
    Math.min(cap / WITH_POINTERS, Math.max(Math.min(LEAST_RECORD, Math.max(LEAST_SENTENCES, room)), most)),
  );
}

/** Where hardly more than one record would be shown, there is one, which takes in what is new. The host may say otherwise. */
export function isRolling({ summary }: Settings, share: number): boolean {
  return summary.merge === undefined ? share < LEAST_RECORDS * LEAST_RECORD : summary.merge === "rolling";
}

/** Tokens that all records together may take in the summary message. */
export function shareOf<M>({ engine, survey, filling }: Operation<M>): number {
  const landing = { goal: filling ?? survey.usualGoal, fills: filling !== undefined };
  return narrativeShare(engine.settings, survey.conversation, landing);
}
