import { evenShare } from "../../core/collections.ts";
import type { Run } from "../../core/types.ts";
import { cutToFit } from "../text/sentences.ts";
import type { SectionEntry } from "../write/sections.ts";
import { pointerTo } from "./pointers.ts";
import { trimRecord } from "./trim-record.ts";

/** The newest record is about what is going on: it has the room of two. */
const NEWEST_WEIGHT = 2;

/** One summary to be shown. */
export interface Narrated {
  readonly text: string;
  readonly covers: Run;
  /** In a person's own words, which go before those of a model. */
  readonly isOwn?: boolean;
}

/** A summary as it is shown. */
export interface ShownRecord extends SectionEntry {
  readonly covers: Run;
}

/** How much of them can be shown. */
interface NarrativeRoom {
  /** Tokens that all of them may take together. */
  readonly room: number;
  /** Tokens that those of a model may take of it. Default: all. */
  readonly cap?: number;
  readonly count: (text: string) => number;
}

/**
 * Segment summaries, oldest first, each with the messages that it stands for. Where they are longer than their room, each
 * loses its least important lines, so that none of them disappears as long as there is room for a line of each; a record itself
 * never changes. What a person wrote loses lines only where all of the room is too little for it.
 */
export function renderNarrative(
  narrative: readonly Narrated[],
  { room, cap = room, count }: NarrativeRoom,
): ShownRecord[] {
  const entries = narrative.map(({ text, covers }) => ({
    head: `${pointerTo(covers)}:`,
    // A record that begins with a heading stands below its pointer.
    text: /^\s*#{1,6}\s/.test(text) ? `\n${text.trim()}` : text.trim(),
    covers,
  }));
  const tokensOf = ({ head, text }: SectionEntry): number => count(`${head} ${text}`) + 1;
  const tokens = entries.map(tokensOf);
  const isOwn = narrative.map((one) => one.isOwn === true);
  const own = allowancesOf(tokens, room, (at) => isOwn[at]!);
  const left = Math.max(0, Math.min(room, cap) - own.reduce((sum, one) => sum + one, 0));
  const others = allowancesOf(tokens, left, (at) => !isOwn[at]);
  const trimmed = entries.map((entry, at) =>
    tokens[at]! <= own[at]! + others[at]! ? entry : trimmedTo(entry, own[at]! + others[at]!, count),
  );
  // A line of each may still be too much: the oldest leave first, and of the last one as much stays as there is room for.
  let over = trimmed.reduce((sum, entry, at) => (isOwn[at] ? sum : sum + tokensOf(entry)), -left);
  const newest = isOwn.lastIndexOf(false);
  return trimmed.flatMap((entry, at) => {
    if (isOwn[at] || over <= 0) return [entry];
    const taken = tokensOf(entry);
    if (at < newest) {
      over -= taken;
      return [];
    }
    const text = cutToFit(entry.text, (part) => tokensOf({ ...entry, text: part }), taken - over);
    return text === "" ? [] : [{ ...entry, text }];
  });
}

/** What is shown counts with its pointers. */
function trimmedTo(entry: ShownRecord, allowed: number, count: (text: string) => number): ShownRecord {
  const lead = entry.text.startsWith("\n") ? "\n" : "";
  const text = trimRecord({
    text: entry.text,
    cap: allowed - count(`${entry.head} `) - 1,
    count,
    whole: true,
  });
  return { ...entry, text: `${lead}${text.trimStart()}` };
}

/** Shares of the room for some of the records: what a short one doesn't need goes to the others. */
function allowancesOf(tokens: readonly number[], room: number, has: (at: number) => boolean): number[] {
  const weightOf = (at: number): number => (at === tokens.length - 1 ? NEWEST_WEIGHT : 1);
  const parts = tokens.flatMap((size, at) =>
    has(at) ? new Array<number>(weightOf(at)).fill(size / weightOf(at)) : [],
  );
  const share = evenShare(parts, room);
  return tokens.map((size, at) => (has(at) ? Math.min(size, Math.floor(share * weightOf(at))) : 0));
}
