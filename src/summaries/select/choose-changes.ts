import type { Line, TranscriptLines } from "../lines.ts";
import { select } from "./select.ts";

/** A line that only uses names counts this much of one that brings them in. */
const USED_FACTOR = 0.15;
/** A declaration names what is new; a comment that isn't within one says in words what it is for. */
const DECLARED_FACTOR = 4;
const TELLING_FACTOR = 2;
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
export function chooseChanges(input: {
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
export function shapeFactor({ text, indented }: Line): number {
  if (IMPORTS.test(text)) return IMPORT_FACTOR;
  if (DECLARES.test(text)) return DECLARED_FACTOR;
  if (indented) return 1;
  const isComment = COMMENT.test(text) && text.split(/\s+/).length > COMMENT_WORDS;
  return isComment || NAMES_VALUE.test(text) ? TELLING_FACTOR : 1;
}

/** Of lines with the same text the newest. */
function newestOfEach(lines: readonly Line[]): Line[] {
  const newest = new Map<number, Line>();
  for (const line of lines) newest.set(line.first, line);
  return [...newest.values()];
}

/** For each term the ordinal of the first line that has it. */
function firstLines({ lines, table }: TranscriptLines): Int32Array {
  const first = new Int32Array(table.terms.length).fill(-1);
  for (const { terms, order } of lines) for (const term of terms) if (first[term] === -1) first[term] = order;
  return first;
}
