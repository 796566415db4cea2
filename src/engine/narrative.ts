import { contentHash } from "../core/hash.ts";
import type { Run, Summary } from "../core/types.ts";
import { isAboutRounds } from "./round-runs.ts";

/** Records that are valid for a transcript, put together to speak for its beginning. */
export interface Narrative {
  /** Oldest first, without gaps. */
  readonly records: readonly Summary[];
  /** Up to which message (after the leading system messages) they speak. */
  readonly sealed: number;
}

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
      capStep(cap),
      ...(anew === undefined ? [] : [anew]),
    ]),
  );
}

const STEPS_PER_DOUBLING = 2;

/** A cap that differs by a few tokens asks for the same summary: nobody shall pay for it twice. */
function capStep(cap: number): number {
  return Math.round(Math.log2(Math.max(1, cap)) * STEPS_PER_DOUBLING);
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
