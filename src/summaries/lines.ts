import type { Message } from "../core/types.ts";
import { isSummaryMessage } from "./markers.ts";
import type { TermTable } from "./terms.ts";

/** Who said a line, which decides how much its terms tell about what is needed next. */
export type LineKind = "user" | "assistant" | "call" | "body" | "result";

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
  /** What the line belongs to: a file or a tool. */
  readonly label: string;
}

/** Every line of a transcript with its terms. */
export interface TranscriptLines {
  readonly lines: readonly Line[];
  /** Characters in all. */
  readonly length: number;
  /** Characters of calls and results, as a share of `length`. */
  readonly toolShare: number;
}

/** Longest line of a result or a call's body, in characters: longer ones are split at a space. */
const MAX_RESULT_LINE = 150;
/** Prose reads badly in pieces, so its lines may be longer. */
const MAX_PROSE_LINE = 400;
/** A call's arguments up to this length are part of its head; longer ones are its body. */
const MAX_HEAD_ARGUMENT = 120;
const MAX_HEAD = 240;
/** Line numbers that file viewers put before each line. */
const LINE_NUMBER = /^\s*\d{1,7}(?:→|\||:|\t)\s?/;

function* pieces(text: string, limit: number): Generator<string> {
  for (const raw of text.split("\n")) {
    let rest = raw.replace(LINE_NUMBER, "").trim();
    while (rest.length > limit) {
      let cut = rest.lastIndexOf(" ", limit);
      if (cut < limit / 2) cut = limit;
      // Half a surrogate pair is no character.
      const code = rest.charCodeAt(cut - 1);
      if (code >= 0xd800 && code <= 0xdbff) cut--;
      yield rest.slice(0, cut).trim();
      rest = rest.slice(cut).trim();
    }
    if (rest.length > 0) yield rest;
  }
}

interface CallText {
  readonly head: string;
  readonly body: string;
  readonly label: string;
}

const PATH_KEY = /path|file|uri|url/i;

/** A call as a person would write it: the tool's name and its short arguments, long ones apart. */
export function readCall(name: string, args: string): CallText {
  let value: unknown;
  try {
    value = JSON.parse(args);
  } catch {
    value = args;
  }
  const head: string[] = [name];
  const body: string[] = [];
  let label = name;
  const visit = (key: string, item: unknown, depth: number): void => {
    if (item === null || item === undefined) return;
    if (typeof item === "object" && depth < 6) {
      for (const [innerKey, inner] of Object.entries(item))
        visit(Array.isArray(item) ? key : innerKey, inner, depth + 1);
      return;
    }
    const text = typeof item === "string" ? item : JSON.stringify(item);
    if (text === undefined || text.length === 0) return;
    if (PATH_KEY.test(key) && typeof item === "string" && text.length < 300 && label === name) label = text;
    if (text.length <= MAX_HEAD_ARGUMENT && !text.includes("\n"))
      head.push(key === "" ? text : `${key}=${text}`);
    else body.push(key === "" ? text : `${key}=${text}`);
  };
  visit("", value, 0);
  let headText = head.join(" ");
  if (headText.length > MAX_HEAD) {
    body.unshift(headText.slice(MAX_HEAD));
    headText = headText.slice(0, MAX_HEAD);
  }
  return { head: headText, body: body.join("\n"), label };
}

/** Cuts a transcript into lines and finds their terms. */
export function transcriptLines(messages: readonly Message[], table: TermTable): TranscriptLines {
  const lines: Line[] = [];
  let position = 0;
  let toolLength = 0;
  const labels = new Map<string, string>();

  const add = (message: number, kind: LineKind, text: string, label: string): void => {
    const prose = kind === "user" || kind === "assistant";
    for (const piece of pieces(text, prose ? MAX_PROSE_LINE : MAX_RESULT_LINE)) {
      lines.push({
        message,
        kind,
        text: piece,
        position,
        terms: table.scan(piece),
        order: lines.length,
        label,
      });
      position += piece.length + 1;
      if (!prose) toolLength += piece.length + 1;
    }
  };

  messages.forEach((message, index) => {
    for (const part of message.parts) {
      switch (part.type) {
        case "text": {
          const ours = isSummaryMessage(part.text);
          const kind = ours
            ? "result"
            : message.role === "user"
              ? "user"
              : message.role === "tool"
                ? "result"
                : "assistant";
          add(index, kind, part.text, "");
          break;
        }
        case "file":
          if (part.text !== undefined) add(index, "result", part.text, part.name ?? "file");
          break;
        case "tool-call": {
          const call = readCall(part.name, part.args);
          labels.set(part.id, call.label);
          add(index, "call", call.head, call.label);
          if (call.body.length > 0) add(index, "body", call.body, call.label);
          break;
        }
        case "tool-result":
          add(index, "result", part.text, labels.get(part.id) ?? part.name ?? "");
          break;
        default:
          break;
      }
    }
  });
  return { lines, length: position, toolShare: position === 0 ? 0 : toolLength / position };
}
