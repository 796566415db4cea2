import { onceFor } from "../../core/collections.ts";
import { cutBefore } from "../../core/first-characters.ts";
import { tryParseReadable } from "../../core/json.ts";
import type { Message, Part, ToolCallPart, ToolResultPart } from "../../core/types.ts";
import { leftText } from "../calls/file-changes.ts";
import { type KnownFile, type KnownFiles, knownFiles, type ShownLine } from "../calls/known-files.ts";
import { type CallText, readCall } from "../calls/read-call.ts";
import { isRefusal, refusedEdits } from "../calls/refusals.ts";
import { sectionByTitle } from "../frames/frames.ts";
import { isPassage, typedAndTagged } from "../text/tagged.ts";
import { CLOSING, isSummaryMessage, OPENING, sourceName } from "../write/sections.ts";
import { TermTable } from "./terms.ts";

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

/** Cuts a transcript into lines and finds their terms. One compaction asks several times about the same transcript. */
export const transcriptLines = onceFor(readLines);

function readLines(messages: readonly Message[]): TranscriptLines {
  const refused = refusedEdits(messages);
  const files = knownFiles();
  const edited = new Set(editedFiles(messages));
  const { table, add, addEach, end } = createLineList(files);
  const calls = new Map<string, { readonly name: string; readonly kind: CallKind; readonly file: string }>();
  const argumentNames = new Set<number>();

  function addPart(message: number, { role }: Message, part: Part): void {
    if (part.type === "text") addText(message, role, part.text);
    else if (part.type === "tool-call") addCall(message, part);
    else if (part.type === "tool-result") addResult(message, part);
    else if (part.type === "file") {
      const by = { source: sourceName(part.name, "file") };
      add(part.text ?? "", { message, kind: "result", by, file: part.name ?? "" });
    }
  }

  function addText(message: number, role: Message["role"], text: string): void {
    if (role === "tool") add(text, { message, kind: "result", by: { source: "tool" } });
    else if (isSummaryMessage(text))
      add(withoutFrame(text), { message, kind: "result", by: { source: RECORD } });
    else if (role !== "user") add(text, { message, kind: "assistant", by: role });
    else
      for (const { tagged, text: piece } of typedAndTagged(text))
        add(piece, {
          message,
          kind: "user",
          by: tagged ? { source: PASTE } : "user",
          spent: tagged && isPassage(piece),
        });
  }

  function addCall(message: number, part: ToolCallPart): void {
    const { kind, head, body, left, changes, file = "", names } = readCall(part);
    calls.set(part.id, { name: part.name, kind, file });
    for (const name of names) for (const term of table.scan(name)) argumentNames.add(term);
    const isRead = kind === "read";
    const by = "assistant";
    // Of a call that reads a file, a reader needs the file.
    add(isRead ? `${part.name} ${file}` : head, {
      message,
      kind: "call",
      by,
      file,
      spent: kind !== "other" && !isRead,
      fragment: isRead,
    });
    if (kind !== "edit" || refused.has(part)) {
      add(left, { message, kind: "body", by, file, spent: true });
      add(body, { message, kind: "body", by, file, spent: kind !== "other" && kind !== "command" });
      return;
    }
    for (const change of changes) {
      const origin = { message, kind: "body", by, file: change.file } as const;
      add(leftText(change), { ...origin, spent: true });
      const { added } = files.apply(change);
      for (const line of addEach(added, origin)) if (line.orders.length > 0) files.added(change.file, line);
    }
  }

  function addResult(message: number, part: ToolResultPart): void {
    const call = calls.get(part.id);
    const by = { source: sourceName(call?.name ?? part.name, "tool") };
    const origin = { message, kind: "result", by, file: call?.file ?? "" } as const;
    const text = readJson(part.text) ?? part.text;
    if (call?.kind === "read" && edited.has(call.file))
      files.seen(call.file, addEach(text.split("\n"), origin));
    else add(text, { ...origin, spent: isMereReceipt(part, call?.kind) });
  }

  for (const [index, message] of messages.entries()) {
    for (const part of message.parts) addPart(index, message, part);
  }
  return { ...end(), argumentNames };
}

/** Where files are that are changed. */
function* editedFiles(messages: readonly Message[]): Generator<string> {
  for (const { parts } of messages)
    for (const part of parts)
      if (part.type === "tool-call")
        for (const change of readCall(part).changes) {
          yield change.file;
          if (change.type === "move") yield change.to;
        }
}

type CallKind = CallText["kind"];

/** Longer answers to an edit show what the file looks like now (characters). */
const MAX_RECEIPT = 400;

/** Nothing but a tool's word that it did what it was told. */
function isMereReceipt(result: ToolResultPart, kind: CallKind | undefined): boolean {
  if (result.text.length > MAX_RECEIPT) return false;
  return kind === "edit" ? !isRefusal(result) : kind === "plan" && result.error !== true;
}

/** Names for what has none. */
const PASTE = "pasted";
const RECORD = "earlier-record";

const POINTED = /^#\d+(?:–\d+)?:? /;

/** The lines of a summary message that came back, without titles and pointers. Those count messages that are gone. */
function withoutFrame(text: string): string {
  const titles = sectionByTitle();
  return text
    .split("\n")
    .filter((line) => line.trim() !== OPENING && line.trim() !== CLOSING && !titles.has(line.trim()))
    .map((line) => line.replace(POINTED, ""))
    .join("\n");
}

/** Who said a line, which decides how much its terms tell about what is needed next. */
type LineKind = "user" | "assistant" | "call" | "body" | "result";

/** A line that only parts others, of a text or a table. */
const RULE = /^[|:+=_*~#-][\s|:+=_*~#-]{2,}$/;
/** Line numbers that file viewers put before each line. */
const LINE_NUMBER = /^\s*\d{1,7}(?:→|\t| ?[|:] ?)/;
const STARTS_WITH_DIGIT = /^\d/;
const SENTENCE_END = /[.!?;]\s|[。！？।；]/g;

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
type LineOrigin = Pick<Line, "message" | "kind" | "by"> & Partial<Pick<Line, "file" | "spent" | "fragment">>;

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
function createLineList(files: Pick<KnownFiles, "at" | "gone">) {
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
    eachPiece(text, MAX_LENGTH[kind], (piece, fragment, indented) => {
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
    });
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

/**
 * The lines of a text without indentation, none longer than the limit. `isFragment`: it begins in the middle of a sentence, because a longer
 * line was cut there.
 */
function eachPiece(
  text: string,
  limit: number,
  visit: (piece: string, isFragment: boolean, isIndented: boolean) => void,
): void {
  let to = 0;
  for (let from = 0; from < text.length; from = to + 1) {
    const end = text.indexOf("\n", from);
    to = end < 0 ? text.length : end;
    if (to === from) continue;
    let line = text.slice(from, to);
    let rest = line.trim();
    if (rest === "") continue;
    if (STARTS_WITH_DIGIT.test(rest)) {
      line = line.replace(LINE_NUMBER, "");
      rest = line.trim();
      if (rest === "") continue;
    }
    const isIndented = !line.startsWith(rest[0]!);
    let isFragment = false;
    while (rest.length > limit) {
      const cut = cutPoint(rest, limit);
      visit(rest.slice(0, cut.at).trim(), isFragment, isIndented);
      rest = rest.slice(cut.at).trim();
      isFragment = !cut.ends;
    }
    if (rest.length > 0 && !RULE.test(rest)) visit(rest, isFragment, isIndented);
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

/** Was it written into a file? */
export function isChange({ kind, file }: Line): boolean {
  return kind === "body" && file !== "";
}

/** Larger results are read as text: parsing them would cost more than it gives (characters). */
const MAX_JSON = 2_000_000;
/** Values up to this length share a line with their neighbours (characters). */
const MAX_SHORT = 80;
const MAX_ROW = 140;
const MAX_DEPTH = 8;

/** A JSON result as lines: short values of one object side by side, long texts on lines of their own. Undefined: no JSON. */
export function readJson(text: string): string | undefined {
  const start = text.trimStart()[0];
  if ((start !== "{" && start !== "[") || text.length > MAX_JSON) return undefined;
  const value = tryParseReadable(text);
  if (value === undefined) return undefined;
  const lines: string[] = [];
  const visit = (key: string, item: unknown, depth: number): void => {
    if (typeof item !== "object" || item === null) {
      lines.push(`${key}${scalar(item)}`);
      return;
    }
    if (depth > MAX_DEPTH) {
      lines.push(`${key}${JSON.stringify(item)}`);
      return;
    }
    const row: string[] = [];
    let length = 0;
    const flush = () => {
      if (row.length > 0) lines.push(row.join(" "));
      row.length = 0;
      length = 0;
    };
    for (const [inner, value] of Object.entries(item)) {
      const name = Array.isArray(item) ? key : `${inner}=`;
      const short = typeof value !== "object" || value === null ? scalar(value) : undefined;
      if (short !== undefined && short.length <= MAX_SHORT && !short.includes("\n")) {
        if (length + short.length > MAX_ROW) flush();
        row.push(`${row.length > 0 && Array.isArray(item) ? "" : name}${short}`);
        length += name.length + short.length + 1;
        continue;
      }
      flush();
      visit(name, value, depth + 1);
    }
    flush();
  };
  visit("", value, 0);
  return lines.join("\n");
}

function scalar(value: unknown): string {
  return typeof value === "string" ? value : String(value);
}
