import { shapeFactor } from "./choose-changes.ts";
import { fromRoot } from "./common-root.ts";
import { baseName } from "./ledger.ts";
import type { Line } from "./lines.ts";
import { headName, type SectionEntry } from "./sections.ts";
import { select } from "./select.ts";

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

/** What `selectLines` takes. */
export interface SelectInput {
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
    let sum = 0;
    for (const term of line.terms) {
      if (covered[term] === 1) continue;
      const weight = weights[term]!;
      sum += lastLine[term] === line.order ? weight : STALE_FACTOR * weight;
    }
    prices[at] ||= priceOf(line);
    return sum / prices[at];
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

function newestOfEach(lines: readonly Line[]): Line[] {
  const newest = new Int32Array((lines.at(-1)?.order ?? 0) + 1);
  for (const line of lines) newest[line.first] = line.order;
  return lines.filter((line) => newest[line.first] === line.order);
}

interface Group {
  readonly file: string;
  readonly speaker: string;
  readonly from: number;
  to: number;
  readonly lines: Line[];
}

/** Lines in time order, in groups by speaker and by file or message, each with a pointer to where it begins. */
export function renderLines(
  lines: readonly Line[],
  textOf: (line: Line) => string,
  /** What else stands among them, in the order of time. */
  beside: readonly { readonly message: number; readonly entry: SectionEntry }[] = [],
  /** The folder that paths are written from. */
  root = "",
): SectionEntry[] {
  const groups: Group[] = [];
  for (const line of [...lines].sort((a, b) => a.order - b.order)) {
    const group = groups.at(-1);
    const speaker = speakerOf(line);
    const joins =
      group !== undefined &&
      group.speaker === speaker &&
      group.file === line.file &&
      (line.file !== "" || group.to === line.message);
    if (joins) {
      group.to = line.message;
      group.lines.push(line);
    } else groups.push({ file: line.file, speaker, from: line.message, to: line.message, lines: [line] });
  }
  const entries: SectionEntry[] = [];
  const waiting = [...beside];
  const placed = new Set<string>();
  for (const [at, group] of groups.entries()) {
    while (waiting.length > 0 && waiting[0]!.message < group.from) entries.push(waiting.shift()!.entry);
    const before = groups[at - 1]?.file === group.file ? entries.at(-1)?.text : undefined;
    entries.push(renderGroup(group, textOf, { before, isPlaced: placed.has(group.file), root }));
    if (isChange(group.lines[0]!)) placed.add(group.file);
  }
  return [...entries, ...waiting.map(({ entry }) => entry)];
}

/** Was it written into a file? */
function isChange({ kind, file }: Line): boolean {
  return kind === "body" && file !== "";
}

function speakerOf({ by }: Line): string {
  return typeof by === "object" ? by.source : by;
}

/** `#12 read a.ts»` for what a tool said of a file, `#12 user:` for a person, `#12 changed src/a.ts:` for what was written into a
 * file (the next time `a.ts`), `#12` for the assistant and its calls. */
function renderGroup(
  { file, from, lines }: Group,
  textOf: (line: Line) => string,
  known: {
    /** What stands right before it about the same file, such as the call. */
    readonly before: string | undefined;
    /** An entry before it says where the file is. */
    readonly isPlaced: boolean;
    readonly root: string;
  },
): SectionEntry {
  const texts = lines.map((line) =>
    line.kind === "call" ? fromRoot(textOf(line), known.root) : textOf(line),
  );
  const { by } = lines[0]!;
  const text = texts.join("\n");
  const pointer = `#${from + 1}`;
  if (by === "user" || by === "system") return { head: `${pointer} ${by}:`, text };
  const name = headName(baseName(file), "file");
  // The name of the file, unless one of its lines says it anyway, or the one before.
  const isSaid = name === "" || [...texts, known.before].some((one) => one?.includes(name));
  const shown = isSaid ? "" : name;
  if (typeof by === "object") {
    const named = shown === "" || shown === by.source ? by.source : `${by.source} ${shown}`;
    return { head: `${pointer} ${named}»`, text };
  }
  if (isChange(lines[0]!))
    return { head: pointer, text: `changed ${known.isPlaced ? name : fromRoot(file, known.root)}: ${text}` };
  return { head: pointer, text: shown === "" ? text : `${shown}: ${text}` };
}
