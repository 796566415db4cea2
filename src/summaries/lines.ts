import type { Message, Part, ToolCallPart, ToolResultPart } from "../core/types.ts";
import { leftText } from "./calls/file-change.ts";
import { knownFiles } from "./calls/known-files.ts";
import { readJson } from "./calls/read-json.ts";
import { sectionByTitle } from "./frames/frames.ts";
import { CLOSING, isSummaryMessage, OPENING } from "./markers.ts";
import { createLineList, type Line } from "./material/line-list.ts";
import type { TermTable } from "./material/terms.ts";
import { type CallText, readCall } from "./read-call.ts";
import { isRefusal, refusedEdits } from "./refused-edits.ts";
import { sourceName } from "./sections.ts";
import { isPassage, typedAndTagged } from "./tagged.ts";

export type { Line, Speaker } from "./material/line-list.ts";

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

/** One compaction asks several times about the same transcript. */
const known = new WeakMap<
  readonly Message[],
  { readonly newest: Message | undefined; readonly read: TranscriptLines }
>();

/** Cuts a transcript into lines and finds their terms. */
export function transcriptLines(messages: readonly Message[]): TranscriptLines {
  const before = known.get(messages);
  // Nobody should add to a list that was handed over; if somebody does, it is read again.
  if (before !== undefined && before.newest === messages.at(-1)) return before.read;
  const read = readLines(messages);
  known.set(messages, { newest: messages.at(-1), read });
  return read;
}

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
