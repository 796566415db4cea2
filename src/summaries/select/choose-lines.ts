import { newestBy } from "../../core/collections.ts";
import { missingItems } from "../keep/missing-items.ts";
import { isChange, type Line, type TranscriptLines } from "../material/lines.ts";
import type { MessageMaterial } from "../material/message-material.ts";
import { plainStatement } from "../material/read-passage.ts";
import type { MessageQuotes } from "./choose-quotes.ts";
import { saidAlready, select, termWeights } from "./select.ts";

/** Of what the user's words and statements leave: what was changed; the rest is for other lines. */
const CHANGES_SHARE = 0.5;
/** Share of a summary message for lines that say what its records lack and later messages use. */
const MISSED_SHARE = 0.1;
/** More lines are chosen than the estimate allows, because the exact count may leave room for them. */
const OVERCHOOSE = 1.25;
/** Worth of a term that the focus names, in units of a path that is surely needed. */
const FOCUS_WORTH = 1;

/** Lines that fill a summary message up beside its quotes, in the order of their rank: what was changed, then the working set. */
export function messageLines(material: MessageMaterial, { quotes, left }: MessageQuotes): readonly Line[] {
  const { input, transcript, candidates: all, lineCost, narrative, sources } = material;
  const { covered, lastLine } = all;
  const quoted = new Map<number, string>();
  for (const quote of quotes) {
    quoted.set(quote.message, `${quoted.get(quote.message) ?? ""}${quote.text}\n`);
    for (const term of transcript.table.scan(quote.text)) covered[term] = 1;
  }
  const weights = weightsOf(material);
  const missed = missedLines(material, quotes.map(({ text }) => text).join("\n"));
  for (const { terms } of missed) for (const term of terms) covered[term] = 1;
  const candidates = all.lines.filter(
    (line) => !missed.includes(line) && !quoted.get(line.message)?.includes(plainLine(line)),
  );
  const changes = chooseChanges({
    transcript,
    candidates,
    weights,
    covered,
    cost: lineCost,
    budget: left * CHANGES_SHARE,
  });
  const isSaid = saidAlready([...narrative.map(({ text }) => text), ...quotes.map(({ text }) => text)]);
  const changed = new Set(changes.map(({ first }) => first));
  const more = selectLines({
    candidates,
    weights,
    cites: (line) => line.kind === "assistant" && sources.cites(line.text, line.message),
    covered,
    lastLine,
    cost: lineCost,
    isSaid: (line) => changed.has(line.first) || isSaid(line.text),
    budget: input.cap * OVERCHOOSE,
  });
  return [...missed, ...changes, ...more];
}

/** What these lines have, whatever is quoted. */
export const missedRoom = ({ missed = [], cap }: MessageMaterial["input"]): number =>
  missed.length > 0 ? cap * MISSED_SHARE : 0;

/** For each name that the records lack and later messages use the shortest line of its message that says it. */
function missedLines({ input, candidates, lineCost }: MessageMaterial, quoted: string): Line[] {
  const { missed = [] } = input;
  const chosen = new Set<Line>();
  let left = missedRoom(input);
  for (const item of missingItems(quoted, missed)) {
    const holds = ({ message, text }: Line) =>
      message === item.message && missingItems(text, [item]).length === 0;
    const lines = candidates.lines.filter(holds);
    const [line] = lines.sort((a, b) => lineCost(a) - lineCost(b) || a.order - b.order);
    if (line === undefined || chosen.has(line) || lineCost(line) > left) continue;
    left -= lineCost(line);
    chosen.add(line);
  }
  return [...chosen];
}

/** The worth of each term, with what the focus and the newest words add to it. */
function weightsOf({ input, transcript, candidates, named }: MessageMaterial): Float64Array {
  const weights = termWeights(transcript);
  for (const term of transcript.table.scan(input.focus ?? ""))
    if (term < weights.length) weights[term]! += FOCUS_WORTH;
  // A message that asks about a name doesn't show what stands behind it, nor does a statement that mentions it.
  for (const [term, worth] of named) {
    if (term >= weights.length) continue;
    weights[term]! += worth;
    candidates.covered[term] = 0;
  }
  return weights;
}

/** A line as a quotation of its message would show it. */
function plainLine({ kind, text }: Line): string {
  return kind === "assistant" ? plainStatement(text) : text;
}

/**
 * The working set: exact lines of hidden messages, chosen so that together they show as much as possible of what the next
 * steps are likely to need and of what is not visible elsewhere. A line earns for terms that nothing shows yet.
 */

/** A term that comes again in a later line is better shown there, with its newest neighbours. */
const STALE_FACTOR = 0.3;
/** An answer that gives its source is what the search was for: worth more than the passages that it was found in. */
const CITING_FACTOR = 2.5;

/** What begins in the middle of a sentence can hardly be read, and a file's name alone tells nothing about it. */
const FRAGMENT_FACTOR = 0.3;

/** A single statement out of the middle of changed code says little alone; its names may still be needed. */
const STATEMENT_FACTOR = 0.5;

/**
 * Where room is left, lines are told that hold nothing new: first all that somebody said, then what the next edit may quote, short ones
 * first. A path is worth about 1. Shorter lines (braces, `return nil`) say nothing.
 */
const SAID_WORTH = 0.02;
const SAID_PER_TOKEN = 0.0005;
/** Less than what was said is worth for a token, even where the line is a single token. */
const LINE_WORTH = 0.0004;
const SHORTEST_WORTH = 16;

/** What `selectLines` takes. */
interface SelectInput {
  readonly candidates: readonly Line[];
  /** Worth of each term by id. */
  readonly weights: Float64Array;
  /** Is it an answer that gives its source? */
  readonly cites: (line: Line) => boolean;
  /** Term ids that are already shown; the selection adds to it. */
  readonly covered: Uint8Array;
  /** For each term the ordinal of the last candidate that has it. */
  readonly lastLine: Int32Array;
  /** Estimated tokens of a line. */
  readonly cost: (line: Line) => number;
  /** Is it said elsewhere? Asked of lines that would be taken. */
  readonly isSaid?: (line: Line) => boolean;
  /** Estimated tokens in all; the list may be longer by one line. */
  readonly budget: number;
}

/** Lines in the order of their worth: any prefix of the list is a good choice for its size. */
export function selectLines(input: SelectInput): Line[] {
  const { weights, covered, lastLine } = input;
  const candidates = newestOfEach(input.candidates);
  const prices = new Float64Array(candidates.length);
  const priceOf = (line: Line): number =>
    Math.max(1, input.cost(line)) /
    ((input.cites(line) ? CITING_FACTOR : 1) *
      (line.fragment ? FRAGMENT_FACTOR : 1) *
      (isChange(line) && shapeFactor(line) <= 1 ? STATEMENT_FACTOR : 1));
  const worth = (line: Line, at: number): number => {
    const isSaid = line.kind === "user" || line.kind === "assistant";
    let sum = isSaid ? SAID_WORTH : line.text.length < SHORTEST_WORTH ? 0 : LINE_WORTH;
    for (const term of line.terms) {
      if (covered[term] === 1) continue;
      const weight = weights[term]!;
      sum += lastLine[term] === line.order ? weight : STALE_FACTOR * weight;
    }
    prices[at] ||= priceOf(line);
    return sum / prices[at] + (isSaid ? SAID_PER_TOKEN : 0);
  };
  return select(candidates, {
    worth,
    price: input.cost,
    budget: input.budget,
    beyond: true,
    isWanted: (line) => input.isSaid?.(line) !== true,
    onTake(line) {
      for (const term of line.terms) covered[term] = 1;
    },
  });
}

/** Keeps the last one of lines that are the same. */
const newestOfEach = (lines: readonly Line[]): Line[] => newestBy(lines, ({ first }) => first);

/** A line that only uses names counts this much of one that brings them in. */
const USED_FACTOR = 0.15;
/** A declaration names what is new; a comment that isn't within one says in words what it is for. */
const DECLARED_FACTOR = 4;
const VALUE_FACTOR = 2;
const DECLARES =
  /^(?:(?:export|default|pub(?:\([^)]*\))?|public|private|protected|internal|static|final|abstract|async|unsafe|inline|virtual|override)\s+)*(?:func|function|fun|fn|def|class|interface|type|struct|enum|trait|impl|module|namespace|create table|alter table)\b/i;
/** Names of values tell what is new only where they aren't local. */
const NAMES_VALUE =
  /^(?:(?:export|default|pub(?:\([^)]*\))?|public|private|protected|internal|static|final)\s+)*(?:const|let|var|val)\b/i;
const COMMENT = /^(?:\/\/|\/\*|\*|#|--|;|"""|<!--)/;
/** Shorter comments only divide the code (words). */
const COMMENT_WORDS = 5;
/** Imports tell what is used, not what is changed. */
const IMPORT_FACTOR = 0.3;
const IMPORTS = /^(?:import|from|use|using|require|include|#include)\b|^["'][^"']*["'][,;)]*$/;
/** Each further line of a file counts less: a reader should see every file that was changed. */
const SAME_FILE_FACTOR = 0.8;

/**
 * Of the lines that edits added, those that say most about what was changed: lines that bring in names which nothing before
 * them had (a new function, a new field, a new option), over all files. In the order of their rank, within the budget (tokens).
 */
function chooseChanges(input: {
  readonly transcript: TranscriptLines;
  readonly candidates: readonly Line[];
  readonly weights: Float64Array;
  readonly covered: Uint8Array;
  readonly cost: (line: Line) => number;
  readonly budget: number;
}): Line[] {
  const { transcript, weights, covered, cost } = input;
  const added = newestOfEach(input.candidates.filter(({ kind, file }) => kind === "body" && file !== ""));
  if (added.length === 0) return [];
  const born = firstLines(transcript);
  const taken = new Map<string, number>();
  /** Paths in code are imports: they tell what is used, not what is changed. */
  const worth = (line: Line): number => {
    let sum = 0;
    for (const term of line.terms)
      if (covered[term] !== 1 && transcript.table.shapes[term] !== "path")
        sum += weights[term]! * (born[term] === line.first ? 1 : USED_FACTOR);
    return (
      (sum * shapeFactor(line) * SAME_FILE_FACTOR ** (taken.get(line.file) ?? 0)) / Math.max(1, cost(line))
    );
  };
  return select(added, {
    worth,
    price: cost,
    budget: input.budget,
    onTake(line) {
      taken.set(line.file, (taken.get(line.file) ?? 0) + 1);
      for (const term of line.terms) covered[term] = 1;
    },
  });
}

/** How much a line that was written into a file says about the change, told by how it begins. */
function shapeFactor({ text, indented }: Line): number {
  if (IMPORTS.test(text)) return IMPORT_FACTOR;
  if (DECLARES.test(text)) return DECLARED_FACTOR;
  if (indented) return 1;
  const isComment = COMMENT.test(text) && text.split(/\s+/).length > COMMENT_WORDS;
  return isComment || NAMES_VALUE.test(text) ? VALUE_FACTOR : 1;
}

/** For each term the ordinal of the first line that has it. */
function firstLines({ lines, table }: TranscriptLines): Int32Array {
  const first = new Int32Array(table.terms.length).fill(-1);
  for (const { terms, order } of lines) for (const term of terms) if (first[term] === -1) first[term] = order;
  return first;
}
