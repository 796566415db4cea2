import { cutBefore } from "../../core/first-characters.ts";
import type { KnownFile, KnownFiles, ShownLine } from "../calls/known-files.ts";
import { TermTable } from "./terms.ts";

/** Who said a line, which decides how much its terms tell about what is needed next. */
type LineKind = "user" | "assistant" | "call" | "body" | "result";

/** A line that only parts others, of a text or a table. */
const RULE = /^[|:+=_*~#-][\s|:+=_*~#-]{2,}$/;
/** Line numbers that file viewers put before each line. */
const LINE_NUMBER = /^\s*\d{1,7}(?:→|\t| ?[|:] ?)/;
const SENTENCE_END = /[.!?;]\s|[。！？।；]/g;

interface Piece {
  readonly text: string;
  readonly fragment: boolean;
  readonly indented: boolean;
}

/** One line of the transcript: the unit that the working set shows or leaves out. */
export interface Line {
  readonly message: number;
  readonly kind: LineKind;
  readonly text: string;
  /** Characters of transcript before this line: its age is counted from here. */
  readonly position: number;
  readonly terms: readonly number[];
  /** Ordinal in the transcript. */
  readonly order: number;
  /** Ordinal of the first line with the same text. */
  readonly first: number;
  /** The file that it comes from or goes to; empty for everything else. */
  readonly file: string;
  /** Whose words they are, for whoever reads them again: decides how far they are trusted. */
  readonly by: Speaker;
  /**
   * It tells about what is needed next, but a reader gains nothing from it: what an edit replaced, what was written and later
   * taken away, an edit that was refused, a tool's word that one went well, a call that only looked something up, a retrieved
   * passage (its source is named where it is cited).
   */
  readonly spent: boolean;
  /** Alone it says little: it begins in the middle of a sentence, because a longer line was cut there, or only names a file. */
  readonly fragment: boolean;
  /** It stands within something else: in a file, a local name. */
  readonly indented: boolean;
}

/** A person, the host, the assistant with its calls; or the name of a tool, a file or a paste, whose words are data. */
export type Speaker = "user" | "system" | "assistant" | { readonly source: string };

/** What the lines of a text have in common. */
export type LineOrigin = Pick<Line, "message" | "kind" | "by"> &
  Partial<Pick<Line, "file" | "spent" | "fragment">>;

/** Longer lines are split at a sentence's end or a space (characters). Prose reads badly in pieces, so its lines may be longer. */
const MAX_LENGTH: Readonly<Record<LineKind, number>> = {
  user: 400,
  assistant: 400,
  call: 150,
  body: 150,
  result: 150,
};
const BLANK_LINE: ShownLine = { text: "", orders: [] };

/** Collects the lines of a transcript, each with its terms and with the file that it belongs to. */
export function createLineList(files: Pick<KnownFiles, "at" | "gone">) {
  const table = new TermTable();
  const lines: Line[] = [];
  const firsts = new Map<string, number>();
  /** By ordinal of the line. */
  const owners: (KnownFile | undefined)[] = [];
  let position = 0;
  let toolLength = 0;

  function add(text: string, origin: LineOrigin): void {
    const { message, kind, by, file = "", spent = false, fragment: isPart = false } = origin;
    const isTool = kind !== "user" && kind !== "assistant";
    for (const { text: piece, fragment, indented } of linePieces(text, MAX_LENGTH[kind])) {
      const order = lines.length;
      const first = firsts.get(piece) ?? order;
      if (first === order) firsts.set(piece, order);
      const terms = first === order ? table.scan(piece) : lines[first]!.terms;
      lines.push({
        message,
        kind,
        text: piece,
        position,
        terms,
        order,
        first,
        file,
        by,
        spent,
        fragment: fragment || isPart,
        indented,
      });
      owners.push(file === "" ? undefined : files.at(file));
      position += piece.length + 1;
      if (isTool) toolLength += piece.length + 1;
    }
  }

  /** Adds lines one by one. Returns them with the ordinals that each has now. */
  function addEach(texts: readonly string[], origin: LineOrigin): ShownLine[] {
    const added: ShownLine[] = [];
    for (const text of texts) {
      // Blank lines add nothing, and there may be a million of them.
      if (text === "") {
        added.push(BLANK_LINE);
        continue;
      }
      const from = lines.length;
      add(text, origin);
      const orders = Array.from({ length: lines.length - from }, (_, at) => from + at);
      added.push({ text: text.replace(LINE_NUMBER, ""), orders });
    }
    return added;
  }

  return {
    table,
    add,
    addEach,
    /** All lines, as their files are now. */
    end() {
      return {
        lines: lines.map((line) => asItIsNow(line, owners[line.order], files.gone.has(line.order))),
        table,
        length: position,
        toolShare: position === 0 ? 0 : toolLength / position,
      };
    },
  };
}

/** A line with the name that its file has now. What is no longer there tells a reader nothing. */
function asItIsNow(line: Line, file: KnownFile | undefined, isGone: boolean): Line {
  const spent = line.spent || isGone || file?.isDeleted === true;
  const path = file?.path ?? line.file;
  if (spent === line.spent && path === line.file) return line;
  const text =
    line.kind === "call" && line.text.endsWith(line.file)
      ? `${line.text.slice(0, -line.file.length)}${path}`
      : line.text;
  return { ...line, spent, file: path, text };
}

/** The lines of a text without indentation, none longer than the limit. */
function* linePieces(text: string, limit: number): Generator<Piece> {
  let from = 0;
  while (from < text.length) {
    let to = text.indexOf("\n", from);
    if (to < 0) to = text.length;
    if (to === from) {
      from++;
      continue;
    }
    const line = text.slice(from, to).replace(LINE_NUMBER, "");
    let rest = line.trim();
    const indented = rest !== "" && !line.startsWith(rest[0]!);
    from = to + 1;
    let fragment = false;
    while (rest.length > limit) {
      const cut = cutPoint(rest, limit);
      yield { text: rest.slice(0, cut.at).trim(), fragment, indented };
      rest = rest.slice(cut.at).trim();
      fragment = !cut.ends;
    }
    if (rest.length > 0 && !RULE.test(rest)) yield { text: rest, fragment, indented };
  }
}

/** Where to cut, and whether a sentence ends there. */
function cutPoint(text: string, limit: number): { readonly at: number; readonly ends: boolean } {
  let end = 0;
  for (const match of text.slice(0, limit).matchAll(SENTENCE_END)) end = match.index + 1;
  if (end > limit / 2) return { at: end, ends: true };
  const space = text.lastIndexOf(" ", limit);
  if (space > limit / 2) return { at: space, ends: false };
  return { at: cutBefore(text, limit), ends: false };
}
