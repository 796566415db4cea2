import { mapSteps, type Steps } from "../core/steps.ts";
import type { Message, ToolCallPart, ToolResultPart } from "../core/types.ts";
import { leftText } from "./file-change.ts";
import type { NamedFile } from "./file-names.ts";
import { madeChanges } from "./made-changes.ts";
import { CLOSING, isSummaryMessage, OPENING } from "./markers.ts";
import { type CallText, readCall } from "./read-call.ts";
import { readJson } from "./read-json.ts";
import { isRefusal } from "./refused-edits.ts";
import { SECTION_TITLES } from "./section-titles.ts";
import { headName } from "./sections.ts";
import { isPassage, typedAndTagged } from "./tagged.ts";
import { TermTable } from "./terms.ts";
import { writtenLines } from "./written-lines.ts";

/** Who said a line, which decides how much its terms tell about what is needed next. */
type LineKind = "user" | "assistant" | "call" | "body" | "result";

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

/** Every line of a transcript with its terms. */
export interface TranscriptLines {
  readonly lines: readonly Line[];
  readonly table: TermTable;
  /** Characters in all. */
  readonly length: number;
  /** Characters of calls and results, as a share of `length`. */
  readonly toolShare: number;
  /** Terms that name arguments of tools. */
  readonly argumentNames: ReadonlySet<number>;
}

/** Longer lines are split at a sentence's end or a space (characters). Prose reads badly in pieces, so its lines may be longer. */
const MAX_LENGTH: Readonly<Record<LineKind, number>> = {
  user: 400,
  assistant: 400,
  call: 150,
  body: 150,
  result: 150,
};
/** A line that only parts others, of a text or a table. */
const RULE = /^[|:+=_*~#-][\s|:+=_*~#-]{2,}$/;
/** Line numbers that file viewers put before each line. */
const LINE_NUMBER = /^\s*\d{1,7}(?:→|\t| ?[|:] ?)/;
const SENTENCE_END = /[.!?;]\s|[。！？।；]/g;

/** One compaction asks several times about the same transcript. */
const known = new WeakMap<
  readonly Message[],
  { readonly newest: Message | undefined; readonly read: TranscriptLines }
>();

/** Lines that are read in one step: some milliseconds of work where all words are new. */
const LINES_AT_ONCE = 64;
const BLANK_LINES_AT_ONCE = 1_024;
const BLANK_LINE = { text: "", orders: [] };

/** Cuts a transcript into lines and finds their terms. */
export function* transcriptLines(messages: readonly Message[]): Steps<TranscriptLines> {
  const before = known.get(messages);
  // Nobody should add to a list that was handed over; if somebody does, it is read again.
  if (before !== undefined && before.newest === messages.at(-1)) return before.read;
  const read = yield* readLines(messages);
  known.set(messages, { newest: messages.at(-1), read });
  return read;
}

function* readLines(messages: readonly Message[]): Steps<TranscriptLines> {
  const table = new TermTable();
  const lines: Line[] = [];
  let position = 0;
  let toolLength = 0;
  const files = new Map<string, string>();
  const tools = new Map<string, { readonly name: string; readonly kind: CallText["kind"] }>();
  const firsts = new Map<string, number>();
  const argumentNames = new Set<number>();
  const made = madeChanges(messages);
  const written = writtenLines();
  /** By ordinal of the line. */
  const owners: (NamedFile | undefined)[] = [];

  function* add(
    message: number,
    kind: LineKind,
    text: string,
    by: Speaker,
    file = "",
    spent = false,
    isPart = false,
  ): Steps<void> {
    for (const { text: piece, fragment, indented } of pieces(text, MAX_LENGTH[kind])) {
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
      owners.push(file === "" ? undefined : written.fileAt(file));
      position += piece.length + 1;
      if (kind !== "user" && kind !== "assistant") toolLength += piece.length + 1;
      if (lines.length % LINES_AT_ONCE === 0) yield;
    }
  }

  for (const [index, message] of messages.entries()) {
    if (index % LINES_AT_ONCE === 0) yield;
    for (const part of message.parts) {
      if (part.type === "text") yield* addText(index, message, part.text);
      else if (part.type === "file")
        yield* add(
          index,
          "result",
          part.text ?? "",
          { source: headName(part.name ?? "", "file") || FILE },
          part.name,
        );
      else if (part.type === "tool-result") {
        const tool = tools.get(part.id);
        const file = files.get(part.id);
        const by = { source: headName(tool?.name ?? part.name ?? "", "tool") || TOOL };
        const text = readJson(part.text) ?? part.text;
        if (tool?.kind === "read" && file !== undefined)
          yield* written.seen(
            file,
            yield* addEach(text.split("\n"), (line) => add(index, "result", line, by, file)),
          );
        else yield* add(index, "result", text, by, file, isMereReceipt(part, tool?.kind));
      } else if (part.type === "tool-call") yield* addCall(index, part);
    }
  }

  function* addCall(index: number, part: ToolCallPart): Steps<void> {
    const { kind, head, body, left, file = "", names } = readCall(part);
    files.set(part.id, file);
    tools.set(part.id, { name: part.name, kind });
    for (const name of names) for (const term of table.scan(name)) argumentNames.add(term);
    // Of a call that reads a file, a reader needs the file.
    const call = kind === "read" ? `${part.name} ${file}` : head;
    yield* add(index, "call", call, "assistant", file, kind !== "other" && kind !== "read", kind === "read");
    if (kind !== "edit" || made.refused.has(part)) {
      yield* add(index, "body", left, "assistant", file, true);
      yield* add(index, "body", body, "assistant", file, kind !== "other" && kind !== "command");
    }
    for (const change of made.of(part)) {
      yield* add(index, "body", leftText(change), "assistant", change.file, true);
      const added = written.apply(change);
      for (const { text, orders } of yield* addEach(added, (line) =>
        add(index, "body", line, "assistant", change.file),
      ))
        written.added(change.file, text, orders);
    }
  }

  /** Adds lines one by one. Returns them with the ordinals that each has now. */
  function* addEach(
    texts: readonly string[],
    addOne: (text: string) => Steps<void>,
  ): Steps<{ readonly text: string; readonly orders: readonly number[] }[]> {
    const added: { readonly text: string; readonly orders: readonly number[] }[] = [];
    for (const [at, text] of texts.entries()) {
      // Blank lines add nothing, and there may be a million of them.
      if (at % BLANK_LINES_AT_ONCE === BLANK_LINES_AT_ONCE - 1) yield;
      if (text === "") {
        added.push(BLANK_LINE);
        continue;
      }
      const from = lines.length;
      yield* addOne(text);
      const orders = Array.from({ length: lines.length - from }, (_, at) => from + at);
      added.push({ text: text.replace(LINE_NUMBER, ""), orders });
    }
    return added;
  }

  function* addText(index: number, { role }: Message, text: string): Steps<void> {
    if (role === "tool") yield* add(index, "result", text, { source: TOOL });
    else if (isSummaryMessage(text)) yield* add(index, "result", withoutFrame(text), { source: RECORD });
    else if (role !== "user") yield* add(index, "assistant", text, role);
    else
      for (const { tagged, text: piece } of typedAndTagged(text))
        yield* add(index, "user", piece, tagged ? { source: PASTE } : "user", "", tagged && isPassage(piece));
  }

  return {
    lines: yield* mapSteps(lines, (line) =>
      asItIsNow(line, owners[line.order], written.gone.has(line.order)),
    ),
    table,
    length: position,
    toolShare: position === 0 ? 0 : toolLength / position,
    argumentNames,
  };
}

/** A line with the name that its file has now. What is no longer there tells a reader nothing. */
function asItIsNow(line: Line, file: NamedFile | undefined, isGone: boolean): Line {
  const spent = line.spent || isGone || file?.isDeleted === true;
  const path = file?.path ?? line.file;
  if (spent === line.spent && path === line.file) return line;
  const text =
    line.kind === "call" && line.text.endsWith(line.file)
      ? `${line.text.slice(0, -line.file.length)}${path}`
      : line.text;
  return { ...line, spent, file: path, text };
}

/** Longer answers to an edit show what the file looks like now (characters). */
const MAX_RECEIPT = 400;

/** Nothing but a tool's word that it did what it was told. */
function isMereReceipt(result: ToolResultPart, kind: CallText["kind"] | undefined): boolean {
  if (result.text.length > MAX_RECEIPT) return false;
  return kind === "edit" ? !isRefusal(result) : kind === "plan" && result.error !== true;
}

/** Names for what has none. */
const TOOL = "tool";
const FILE = "file";
const PASTE = "pasted";
const RECORD = "earlier-record";

const FRAME = new Set<string>([OPENING, CLOSING, ...SECTION_TITLES]);
const POINTED = /^#\d+(?:–\d+)?:? /;

/** The lines of a summary message that came back, without titles and pointers. Those count messages that are gone. */
function withoutFrame(text: string): string {
  return text
    .split("\n")
    .filter((line) => !FRAME.has(line.trim()))
    .map((line) => line.replace(POINTED, ""))
    .join("\n");
}

interface Piece {
  readonly text: string;
  readonly fragment: boolean;
  readonly indented: boolean;
}

/** The lines of a text without indentation, none longer than the limit. */
function* pieces(text: string, limit: number): Generator<Piece> {
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
  // Half a surrogate pair is no character.
  const code = text.charCodeAt(limit - 1);
  return { at: code >= 0xd800 && code <= 0xdbff ? limit - 1 : limit, ends: false };
}
