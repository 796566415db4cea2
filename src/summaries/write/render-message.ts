import type { Outcome } from "../calls/outcomes.ts";
import { isChange, type Line } from "../material/lines.ts";
import type { MessageMaterial } from "../material/message-material.ts";
import type { Statement } from "../material/statements.ts";
import type { UserWords } from "../material/user-words.ts";
import type { ShownRecord } from "../records/render-narrative.ts";
import { saidAlready } from "../select/select.ts";
import type { CitedSources } from "../sources/citations.ts";
import { isPlanted, markPlant, withPlantMark } from "../text/plants.ts";
import { baseName, commonRoot, fromRoot, LEAST_ROOT, touchedFiles, unseenFiles } from "./files.ts";
import { headName, type SectionEntry, type Sections } from "./sections.ts";

const LEDGER_SHARE = 0.05;

/** The sections of a summary message with these records and so many of its quotes and lines, and the sources of what they cite. */
type MessageSections = (quoteCount: number, lineCount: number, narrative: readonly ShownRecord[]) => Sections;

/** Writes quotes and lines as sections, and the ledgers of sources and files that go with them. */
export function messageSections(
  { input, messages, isHidden, transcript, cost, state, states, sources }: MessageMaterial,
  quotes: readonly Quote[],
  lines: readonly Line[],
): MessageSections {
  const inLine = quotes.map((quote) => lineThatSays(quote, lines));
  const touched = touchedFiles(messages);
  const files = touched.filter(({ message }) => isHidden(message));
  const root = commonRoot(
    touched.map(({ path }) => path),
    LEAST_ROOT,
  );
  const isBelow = (text: string): boolean => fromRoot(text, root) !== text;
  const ledgerCap = input.cap * LEDGER_SHARE;
  const lineText = quotedLine(transcript.lines, ({ text, message, by }) =>
    typeof by === "string" ? sources.inText(text, message) : sources.inPassage(text, message),
  );
  return (quoteCount, lineCount, narrative) => {
    const said = quotes.filter((_, at) => at < quoteCount && inLine[at]! >= lineCount);
    const shown = lines.slice(0, lineCount);
    const { words, answers, outcomes } = quoteSections(said, sources);
    const below = outcomes.map(({ message, entry }) => ({
      message,
      entry: { ...entry, text: fromRoot(entry.text, root) },
    }));
    const linesShown = renderLines(shown, lineText, below, root);
    // A record names files by their paths within the project, too.
    const isUsed =
      root !== "" &&
      (narrative.length > 0 ||
        shown.some(({ kind, text, file }) => isBelow(kind === "call" ? text : kind === "body" ? file : "")) ||
        outcomes.some(({ entry }) => isBelow(entry.text)));
    const named = [...linesShown, ...words, ...answers].map(({ head, text }) => `${head} ${text}`).join("\n");
    return {
      narrative,
      words,
      answers,
      lines: linesShown,
      sources: sources.ledger([
        // In the numbers of the messages that they end with.
        ...narrative.map(({ text, covers }) => ({ text, message: covers.to - 1 })),
        ...said.map((quote) => ({ message: quote.message, text: citedText(quote) })),
        ...shown,
      ]),
      files: unseenFiles(files, named, ledgerCap, cost, { root, isUsed }),
      states,
      state,
    };
  };
}

/** Which of these lines says all of a statement, and more: shown both, the statement would stand there twice. Infinity: none. */
function lineThatSays(quote: Quote, lines: readonly Line[]): number {
  if (quote.by !== "assistant") return Infinity;
  const { message, text, place } = quote;
  // Without one of its points a list can't be read.
  if (place?.kind === "point") return Infinity;
  const at = lines.findIndex(
    (line) => line.message === message && line.kind === "assistant" && saidAlready([line.text])(text),
  );
  return at < 0 ? Infinity : at;
}

/**
 * Lines as a summary message quotes them: those that tell the model what to do carry a mark, unless a person or the host
 * wrote them. An instruction that is broken over two lines is found as well.
 */
function quotedLine(
  /** All lines of the transcript, by their ordinal. */
  lines: readonly Line[],
  textOf: (line: Line) => string,
): (line: Line) => string {
  const known = new Map<number, string>();
  return (line) => {
    const before = known.get(line.order);
    if (before !== undefined) return before;
    const text = textOf(line);
    const quoted = isMarked(line, lines) ? markPlant(text) : text;
    known.set(line.order, quoted);
    return quoted;
  };
}

function isMarked(line: Line, lines: readonly Line[]): boolean {
  if (line.by === "user" || line.by === "system") return false;
  const beside = (order: number): string | undefined =>
    lines[order]?.message === line.message ? lines[order].text : undefined;
  return isPlanted(line.text, beside(line.order - 1), beside(line.order + 1));
}

/** What a summary message quotes before single lines fill it up, in the order of rank: the last ones leave first. */
export type Quote =
  | ({ readonly by: "user" } & UserWords)
  | ({ readonly by: "assistant" } & Statement)
  | ({ readonly by: "tool" } & Outcome);

/** All that a quotation shows, with the titles and the sentence that lead into it. */
function citedText(quote: Quote): string {
  return quote.by === "assistant" ? `${quote.lead}\n${quote.text}` : quote.text;
}

/** Quotations by the section in which they stand, each in the order of time. */
function quoteSections(
  quotes: readonly Quote[],
  sources: CitedSources,
): {
  readonly words: SectionEntry[];
  readonly answers: SectionEntry[];
  readonly outcomes: readonly { readonly message: number; readonly entry: SectionEntry }[];
} {
  const ordered = [...quotes].sort((a, b) => a.message - b.message);
  const said = (text: string, message: number): string => sources.inText(text, message);
  const leadOf = ({ lead, message }: Statement): string =>
    said(lead, message).split("\n").map(withPlantMark).join("\n");
  return {
    words: ordered.flatMap((quote) =>
      quote.by === "user" ? [{ head: `#${quote.message + 1}`, text: said(quote.text, quote.message) }] : [],
    ),
    answers: statementEntries(
      ordered.flatMap((quote) => (quote.by === "assistant" ? [{ ...quote, lead: leadOf(quote) }] : [])),
      ({ text, message }) => withPlantMark(said(text, message)),
    ),
    outcomes: ordered.flatMap((quote) => {
      if (quote.by !== "tool") return [];
      const { message, tool, text } = quote;
      return [{ message, entry: { head: `#${message + 1} ${tool}»`, text } }];
    }),
  };
}

/** Statements in time order, one entry per message, with the titles under which they stand. */
function statementEntries(
  statements: readonly Statement[],
  textOf: (statement: Statement) => string,
): SectionEntry[] {
  const entries: { head: string; text: string }[] = [];
  let before: Statement | undefined;
  for (const one of [...statements].sort((a, b) => a.message - b.message || a.order - b.order)) {
    const last = entries.at(-1);
    if (last === undefined || one.message !== before?.message)
      entries.push({ head: `#${one.message + 1}`, text: newTitles(one.lead, "") + textOf(one) });
    else last.text += between(before, one) + newTitles(one.lead, before.lead) + textOf(one);
    before = one;
  }
  return entries;
}

/** What stands between two statements of one message: a reader should see where something was left out. */
function between(before: Statement, after: Statement): string {
  const gap = after.order === before.order + 1 || before.text.endsWith("…") ? "" : " …";
  const isSameLine = after.place !== undefined && after.place.line === before.place?.line;
  return `${gap}${isSameLine && after.place.kind !== "code" ? " " : "\n"}`;
}

/** Of the titles above a statement those that the statement before it didn't have, each with a line break. */
export function newTitles(lead: string, before: string): string {
  if (lead === "" || lead === before) return "";
  const known = before.split("\n");
  const titles = lead.split("\n");
  const fresh = titles.findIndex((title) => !known.includes(title));
  return fresh < 0 ? "" : `${titles.slice(fresh).join("\n")}\n`;
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
