import type { Run } from "../core/types.ts";
import type { SectionEntry } from "./sections.ts";
import { trimRecord } from "./trim-record.ts";

/** The newest record is about what is going on: it has the room of two. */
const NEWEST_WEIGHT = 2;

/** One summary to be shown. */
export interface Told {
  readonly text: string;
  readonly covers: Run;
  /** In a person's own words, which go before those of a model. */
  readonly isOwn?: boolean;
}

/**
 * Segment summaries, oldest first, each with the messages that it stands for. Where they are longer than their room, each
 * loses its least important lines, so that none of them disappears; a record itself never changes. What a person wrote
 * loses lines only where all of the room is too little for it.
 */
export function renderNarrative(
  narrative: readonly Told[],
  room: number,
  count: (text: string) => number,
): SectionEntry[] {
  const entries = narrative.map(({ text, covers }) => ({
    head: `#${covers.from + 1}–${covers.to}:`,
    // A record that begins with a heading stands below its pointer.
    text: /^\s*#{1,6}\s/.test(text) ? `\n${text.trim()}` : text.trim(),
  }));
  const tokens = entries.map(({ head, text }) => count(`${head} ${text}`) + 1);
  const isOwn = narrative.map((one) => one.isOwn === true);
  const own = allowancesOf(tokens, room, (at) => isOwn[at]!);
  const left = Math.max(0, room - own.reduce((sum, one) => sum + one, 0));
  const others = allowancesOf(tokens, left, (at) => !isOwn[at]);
  const allowances = tokens.map((_, at) => own[at]! + others[at]!);
  return entries.map((entry, at) => {
    const allowed = allowances[at]!;
    if (tokens[at]! <= allowed) return entry;
    // What is shown counts with its pointers.
    const lead = entry.text.startsWith("\n") ? "\n" : "";
    const text = trimRecord({
      text: entry.text,
      cap: allowed - count(`${entry.head} `) - 1,
      count,
      whole: true,
    });
    return { ...entry, text: `${lead}${text.trimStart()}` };
  });
}

/** Shares of the room for some of the records: what a short one doesn't need goes to the others. */
function allowancesOf(tokens: readonly number[], room: number, has: (at: number) => boolean): number[] {
  const weights = tokens.map((_, at) => (at === tokens.length - 1 ? NEWEST_WEIGHT : 1));
  const given = new Array<number>(tokens.length).fill(0);
  let open = tokens.map((_, at) => at).filter(has);
  let left = room;
  while (open.length > 0) {
    const weight = open.reduce((sum, at) => sum + weights[at]!, 0);
    const satisfied = open.filter((at) => tokens[at]! <= (left * weights[at]!) / weight);
    if (satisfied.length === 0) {
      for (const at of open) given[at] = Math.floor((left * weights[at]!) / weight);
      return given;
    }
    for (const at of satisfied) {
      given[at] = tokens[at]!;
      left -= tokens[at]!;
    }
    open = open.filter((at) => !satisfied.includes(at));
  }
  return given;
}
