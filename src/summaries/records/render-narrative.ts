import { clipText } from "../../core/clip.ts";
import { evenShare } from "../../core/collections.ts";
import type { HostState, Run } from "../../core/types.ts";
import { rankOf } from "../prompts/index.ts";
import { LINE_BREAK } from "../text/look-alikes.ts";
import { cutToFit } from "../text/sentences.ts";
import type { SectionEntry } from "../write/sections.ts";
import { newestPointer, pointerTo, withoutPointers } from "./pointers.ts";

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

/** The host's own record of where things stand may take this share of the message. */
const STATE_SHARE = 0.25;

/** The host's steps or text, within its share; what doesn't fit is said to be left out. */
export function renderState(
  state: HostState | undefined,
  cap: number,
  count: (text: string) => number,
): SectionEntry[] {
  if (!state) return [];
  const texts =
    typeof state === "string"
      ? [state.trim()]
      : [
          ...(state.title === undefined ? [] : [state.title]),
          ...state.steps.map(({ status, text }) => `[${status}] ${text.trim()}`),
        ];
  const lines = texts.flatMap((text) => text.split(LINE_BREAK));
  if (lines.every((line) => line.trim() === "")) return [];
  return linesThatFit(lines, cap, count).map((text) => ({ head: "", text }));
}

function linesThatFit(
  lines: readonly string[],
  cap: number,
  count: (text: string) => number,
): readonly string[] {
  const limit = cap * STATE_SHARE;
  if (count(lines.join("\n")) <= limit) return lines;
  const kept: string[] = [];
  let used = 0;
  for (const line of lines) {
    const before = used;
    used += count(line) + 1;
    if (used > limit) {
      // One that is too long for any place, such as a state in JSON, isn't left out for that.
      const clipped =
        count(line) + 1 > limit ? clipText(line, Math.floor(limit - before) - 1, count) : undefined;
      if (clipped !== undefined) kept.push(clipped);
      break;
    }
    kept.push(line);
  }
  if (kept.length === 0 || kept.length === lines.length) return kept;
  return [...kept, `(${lines.length - kept.length} more)`];
}

/** A heading: `## Rules`, `**Rules**`, `3. Rules:`. */
const HEADING =
  /^\s*(?:#{1,6}\s+|\*\*)?(?:\d+[.)]\s*)?([\p{L}][\p{L}\s'’-]{0,40}?)\s*(?:\*\*)?[:：]?\s*(?:\*\*)?\s*$/u;
const MARKED_HEADING = /^\s*(?:#{1,6}\s|\*\*.*\*\*[:：]?\s*$)/;
/** A line that goes on with the one before it. */
const GOES_ON = /^\s{2,}\S/;
/** Of lines before the first heading: they say what all of it is about. */
const LEAD_RANK = 1;
/** A record without headings: its first and its last line say most. */
const PLAIN_RANK = 3;
const EDGE_RANK = 1;
/** A record of so few lines is prose: then sentences leave. */
const FEW_LINES = 3;
const SENTENCE_BREAK = /(?<=[.!?؟।]["'”’»)]?)\s+|(?<=[。！？][」』]?)/;
/** What holds an item that must stay goes after everything else of its record. */
const HELD = -10;

interface Piece {
  readonly text: string;
  /** The line of its heading; undefined for a heading itself. */
  readonly heading?: number;
  readonly rank: number;
  /** Its line. Sentences of one line have the same. */
  readonly at: number;
  /** The newest message that it points at: what sums up many messages is as new as the last of them. */
  readonly newest: number;
}

/** What `trimRecord` takes. */
interface TrimInput {
  readonly text: string;
  /** Tokens that it may have, pointers not counted. */
  readonly cap: number;
  readonly count: (text: string) => number;
  /** Pointers count, too: the text is measured as it is shown. Default false. */
  readonly whole?: boolean;
  /** Does a line hold something that must stay? */
  readonly holds?: (line: string) => boolean;
}

/**
 * A record within its length: lines of the sections that matter least leave first, and within a section those about the
 * oldest messages. Never simply the end, where what was going on stands. Headings without lines leave, too.
 */
export function trimRecord({ text, cap, count, whole = false, holds = () => false }: TrimInput): string {
  const tokens = (part: string): number => count(whole ? part : withoutPointers(part));
  if (tokens(text) <= cap) return text;
  const pieces = piecesOf(text);
  const order = pieces
    .filter(({ heading }) => heading !== undefined)
    .map((piece) => ({ piece, rank: piece.rank + (holds(piece.text) ? HELD : 0) }))
    .sort((a, b) => b.rank - a.rank || a.piece.newest - b.piece.newest || a.piece.at - b.piece.at);
  const gone = new Set<Piece>();
  let over = tokens(text) - cap;
  let next = 0;
  for (;;) {
    while (over > 0 && next < order.length - 1) {
      const { piece } = order[next++]!;
      gone.add(piece);
      over -= tokens(piece.text) + 1;
    }
    const left = join(pieces, gone);
    over = tokens(left) - cap;
    if (over <= 0 || next >= order.length - 1) return left;
  }
}

/** Headings and what stands below them; a line that goes on is one with the line that it goes on from. */
function piecesOf(text: string): Piece[] {
  const lines: string[] = [];
  for (const line of text.split("\n")) {
    if (GOES_ON.test(line) && !/^\s*[-*+•]/.test(line) && lines.length > 0)
      lines[lines.length - 1] += `\n${line}`;
    else if (line.trim() !== "") lines.push(line);
  }
  const pieces: Piece[] = [];
  let heading = -1;
  let rank = LEAD_RANK;
  for (const [at, line] of lines.entries()) {
    const title = titleOf(line, lines[at + 1]);
    if (title !== undefined) {
      heading = at;
      rank = rankOf(title);
      pieces.push({ text: line, rank, at, newest: 0 });
    } else pieces.push({ text: line, heading, rank, at, newest: newestPointer(line) ?? at });
  }
  if (pieces.some((piece) => piece.heading === undefined)) return pieces;
  const plain = pieces.length > FEW_LINES ? pieces : pieces.flatMap(sentencesOf);
  return plain.map((piece, at) => ({
    ...piece,
    rank: at === 0 || at === plain.length - 1 ? EDGE_RANK : PLAIN_RANK,
  }));
}

function sentencesOf(piece: Piece): Piece[] {
  return piece.text.split(SENTENCE_BREAK).map((text) => ({ ...piece, text }));
}

/** A heading is marked as one, or is a short line that lines with bullets follow. */
function titleOf(line: string, following: string | undefined): string | undefined {
  const title = HEADING.exec(line)?.[1];
  if (title === undefined) return undefined;
  const isMarked = MARKED_HEADING.test(line) || /[:：]\s*(?:\*\*)?\s*$/.test(line);
  return isMarked || /^\s*[-*+•]/.test(following ?? "") ? title : undefined;
}

function join(pieces: readonly Piece[], gone: ReadonlySet<Piece>): string {
  const shown = pieces.filter((piece) => !gone.has(piece));
  const filled = new Set(shown.flatMap(({ heading }) => (heading === undefined ? [] : [heading])));
  return shown
    .filter(({ heading, at }) => heading !== undefined || filled.has(at))
    .map(({ text, at }, place, all) =>
      place === 0 ? text : `${all[place - 1]!.at === at ? " " : "\n"}${text}`,
    )
    .join("");
}
