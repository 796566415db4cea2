import { firstCharacters } from "../core/first-characters.ts";
import { stretchesOf } from "./fences.ts";
import { plainStatement } from "./read-passage.ts";

/** A point of an answer: a title, or what an entry of a list begins with. */
interface Point {
  readonly text: string;
  /** 0 for a title, 1 for the first entry below it, and so on. */
  readonly rank: number;
}

/** Fewer points are no outline: the start of the answer tells more. */
const LEAST_POINTS = 3;
/** What a point is about stands at its beginning (characters). */
const MAX_POINT = 70;
/** Titles that so many other answers have, too, tell nothing of this one ("Example", "Conclusion"). */
const COMMON = 2;
const SEPARATOR = "; ";

// Dots take line breaks of other kinds, too: where they don't, a long run of blanks before one is tried again from each of its places.
const TITLE = /^(?:#{1,6}\s.*|\*\*[^*]+\*\*:?)$/s;
const ENTRY = /^(?:[-*•+]|\d+[.)])\s+(?<rest>.*)$/s;
const BOLD_HEAD = /^\*\*(?<head>[^*]+?):?\*\*/;
/** Where the beginning of an entry ends. */
const CLAUSE_END = /[:;.!?](?:\s|$)|[。！？：；]|\s[–—-]\s/;
/** Of points, and dots that are left of them; not the hour of "9:00 AM". */
const NUMBER = /^(?:(?:step\s+)?\d+(?:\.\d+)*[.):](?:\s+|$)|[.,:;]\s*)/i;
const CODE_SPAN = /`[^`]*`/g;

/** What answers with titles and lists are about, point by point. */
export interface Outlines {
  /** The points of an answer in one line of at most so many characters; undefined if it has too few, or only long ones. */
  of(answer: string, most: number): string | undefined;
}

/** Reads all answers first: what stands in many of them tells nothing of one. */
export function outlinesOf(answers: readonly string[]): Outlines {
  const points = new Map(answers.map((answer) => [answer, pointsOf(answer)] as const));
  const answersWith = new Map<string, number>();
  for (const list of points.values()) {
    for (const name of new Set(list.map(keyOf))) answersWith.set(name, (answersWith.get(name) ?? 0) + 1);
  }
  return {
    of(answer, most) {
      const telling = (points.get(answer) ?? pointsOf(answer)).filter(
        (point) => (answersWith.get(keyOf(point)) ?? 0) <= COMMON,
      );
      return telling.length < LEAST_POINTS ? undefined : lineOf(telling, most);
    },
  };
}

const keyOf = ({ text }: Point): string => text.toLowerCase();

/**
 * All points, or where they take too much room the titles, then the first entry below each, then the second, in their order.
 * Undefined if there is room for none.
 */
function lineOf(points: readonly Point[], most: number): string | undefined {
  const taken = new Set<Point>();
  let length = 0;
  for (const point of [...points].sort((a, b) => a.rank - b.rank)) {
    const added = point.text.length + SEPARATOR.length;
    if (length + added > most) continue;
    length += added;
    taken.add(point);
  }
  if (taken.size === 0) return undefined;
  const shown = points.filter((point) => taken.has(point));
  return `${shown.map(({ text }) => text).join(SEPARATOR)}${shown.length < points.length ? " …" : ""}`;
}

function pointsOf(answer: string): Point[] {
  const points: Point[] = [];
  const told = new Set<string>();
  let rank = 0;
  for (const stretch of stretchesOf(answer)) {
    const line = stretch.type === "prose" ? stretch.line.trim() : "";
    if (line === "") continue;
    const isTitle = TITLE.test(line);
    const text = plainStatement(isTitle ? line : entryIn(line))
      .replace(NUMBER, "")
      .replace(/[:：]$/, "")
      .trim();
    if (text === "" || told.has(text.toLowerCase())) continue;
    rank = isTitle ? 0 : rank + 1;
    told.add(text.toLowerCase());
    points.push({ text, rank });
  }
  return points;
}

/** What an entry of a list begins with; empty if the line is none. */
function entryIn(line: string): string {
  const rest = ENTRY.exec(line)?.groups?.["rest"]?.replace(NUMBER, "");
  return rest === undefined ? "" : (BOLD_HEAD.exec(rest)?.groups?.["head"] ?? beginningOf(rest));
}

/** The first clause, which doesn't end within code, as far as whole words of it are short enough. */
function beginningOf(text: string): string {
  const prose = text.replace(CODE_SPAN, (code) => "x".repeat(code.length));
  const end = CLAUSE_END.exec(prose)?.index ?? text.length;
  if (end <= MAX_POINT) return text.slice(0, end);
  return firstCharacters(text, Math.max(text.lastIndexOf(" ", MAX_POINT), MAX_POINT / 2));
}
