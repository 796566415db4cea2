import { rankOf } from "../prompts/index.ts";
import { newestPointer, withoutPointers } from "./pointers.ts";

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
