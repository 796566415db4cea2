import type { Steps } from "../core/steps.ts";
import { cutBefore } from "../core/text-slices.ts";
import type { Message, Part, ToolCallPart, ToolResultPart } from "../core/types.ts";
import { addedText, leftText } from "./file-change.ts";
import { CLOSING, isSummaryMessage, OPENING } from "./markers.ts";
import { readCall } from "./read-call.ts";
import { readJson } from "./read-json.ts";
import { refusedEdits } from "./refused-edits.ts";
import { SECTION_TITLES } from "./section-titles.ts";
import { sourceName } from "./sections.ts";
import { isPassage, typedAndTagged } from "./tagged.ts";
import { TermTable } from "./terms.ts";

/** Who said a line, which decides how much its terms tell about what is needed next. */
type LineKind = "user" | "assistant" | "call" | "body" | "result";

/** A person, the host, the assistant with its calls; or the name of a tool, a file or a paste, whose words are data. */
export type Speaker = "user" | "system" | "assistant" | { readonly source: string };

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
   * It tells about what is needed next, but a reader would be misled by it or gains nothing: what an edit replaced, an edit that
   * was refused, a plan (the newest is shown by itself), a retrieved passage (its source is named where it is cited).
   */
  readonly spent: boolean;
}

/** What the lines of a text have in common. */
type LineOrigin = Pick<Line, "message" | "kind" | "by"> & Partial<Pick<Line, "file" | "spent">>;

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
  /** Files that edits deleted or moved away. */
  readonly deleted: ReadonlySet<string>;
}

/** Longer lines are split at a sentence's end or a space (characters). Prose reads badly in pieces, so its lines may be longer. */
const MAX_LENGTH: Readonly<Record<LineKind, number>> = {
  user: 400,
  assistant: 400,
  call: 150,
  body: 150,
  result: 150,
};
/** Lines that are read in one step: some milliseconds of work where all words are new. */
const LINES_AT_ONCE = 64;
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
  const firsts = new Map<string, number>();
  const argumentNames = new Set<number>();
  const refused = refusedEdits(messages);
  const calls = new Map<string, { readonly name: string; readonly file: string }>();
  const deleted = new Set<string>();
  let position = 0;
  let toolLength = 0;

  function* add(text: string, { message, kind, by, file = "", spent = false }: LineOrigin): Steps<void> {
    for (const piece of linePieces(text, MAX_LENGTH[kind])) {
      const order = lines.length;
      const first = firsts.get(piece) ?? order;
      if (first === order) firsts.set(piece, order);
      const terms = first === order ? table.scan(piece) : lines[first]!.terms;
      lines.push({ message, kind, text: piece, position, terms, order, first, file, by, spent });
      position += piece.length + 1;
      if (kind !== "user" && kind !== "assistant") toolLength += piece.length + 1;
      if (lines.length % LINES_AT_ONCE === 0) yield;
    }
  }

  function* addPart(message: number, { role }: Message, part: Part): Steps<void> {
    if (part.type === "text") yield* addText(message, role, part.text);
    else if (part.type === "tool-call") yield* addCall(message, part);
    else if (part.type === "tool-result") yield* addResult(message, part);
    else if (part.type === "file") {
      const by = { source: sourceName(part.name, "file") };
      yield* add(part.text ?? "", { message, kind: "result", by, file: part.name ?? "" });
    }
  }

  function* addText(message: number, role: Message["role"], text: string): Steps<void> {
    if (role === "tool") yield* add(text, { message, kind: "result", by: { source: "tool" } });
    else if (isSummaryMessage(text))
      yield* add(withoutFrame(text), { message, kind: "result", by: { source: RECORD } });
    else if (role !== "user") yield* add(text, { message, kind: "assistant", by: role });
    else
      for (const { tagged, text: piece } of typedAndTagged(text))
        yield* add(piece, {
          message,
          kind: "user",
          by: tagged ? { source: PASTE } : "user",
          spent: tagged && isPassage(piece),
        });
  }

  function* addCall(message: number, part: ToolCallPart): Steps<void> {
    const { kind, head, body, changes, file = "", names } = readCall(part);
    calls.set(part.id, { name: part.name, file });
    for (const name of names) for (const term of table.scan(name)) argumentNames.add(term);
    const call = { message, by: "assistant", kind: "call", file } as const;
    if (changes.length === 0) {
      yield* add(head, { ...call, spent: kind === "plan" });
      yield* add(body, { ...call, kind: "body", spent: kind === "plan" });
      return;
    }
    const spent = refused.has(part);
    const isDeletion = changes.every(({ type }) => type === "delete");
    yield* add(`${isDeletion ? "deleted:" : part.name} ${file}`, { ...call, spent });
    for (const change of changes) {
      if (!spent) {
        const isGone = change.type === "delete" || change.type === "move";
        if (isGone) deleted.add(change.file);
        else deleted.delete(change.file);
      }
      const origin = { ...call, kind: "body", file: change.file } as const;
      // What a refused edit would have taken away is still there.
      if (!spent) yield* add(leftText(change), { ...origin, spent: true });
      yield* add(addedText(change), { ...origin, spent });
    }
  }

  function* addResult(message: number, part: ToolResultPart): Steps<void> {
    const call = calls.get(part.id);
    const by = { source: sourceName(call?.name ?? part.name, "tool") };
    const text = readJson(part.text) ?? part.text;
    yield* add(text, { message, kind: "result", by, file: call?.file ?? "" });
  }

  for (const [index, message] of messages.entries()) {
    if (index % LINES_AT_ONCE === 0) yield;
    for (const part of message.parts) yield* addPart(index, message, part);
  }
  return {
    lines,
    table,
    length: position,
    toolShare: position === 0 ? 0 : toolLength / position,
    argumentNames,
    deleted,
  };
}

/** Names for what has none. */
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

/** The lines of a text without indentation, none longer than the limit. */
function* linePieces(text: string, limit: number): Generator<string> {
  let from = 0;
  while (from < text.length) {
    let to = text.indexOf("\n", from);
    if (to < 0) to = text.length;
    if (to === from) {
      from++;
      continue;
    }
    let rest = text.slice(from, to).replace(LINE_NUMBER, "").trim();
    from = to + 1;
    while (rest.length > limit) {
      const cut = cutPoint(rest, limit);
      yield rest.slice(0, cut).trim();
      rest = rest.slice(cut).trim();
    }
    if (rest.length > 0 && !RULE.test(rest)) yield rest;
  }
}

function cutPoint(text: string, limit: number): number {
  let end = 0;
  for (const match of text.slice(0, limit).matchAll(SENTENCE_END)) end = match.index + 1;
  if (end > limit / 2) return end;
  const space = text.lastIndexOf(" ", limit);
  return space > limit / 2 ? space : cutBefore(text, limit);
}
