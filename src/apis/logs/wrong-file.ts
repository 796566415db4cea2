import { defined } from "../../core/collections.ts";
import { TranscriptError } from "../../core/errors.ts";
import { cutTo } from "../../core/first-characters.ts";
import { stringifyDeep } from "../../core/json.ts";
import { type Fields, isFields } from "./fields.ts";

/** What can be read, said once for all errors. */
export const EXPECTED =
  "Expected a JSON or JSONL conversation: a request body, a list of `{role, content}` messages, or a log of Claude Code, Codex, pi, OpenHands, SWE-agent, ShareGPT or the AI SDK.";

const FIX =
  "Check that this is the right file; if it is a list of messages in a known wire format, name it with `dialect` (`--dialect D`).";

/** Python's way of writing a list of objects. */
export const SINGLE_QUOTED = /^[[{\s]+'/;
const NAMED_KEYS = 6;
const SHOWN_CHARACTERS = 40;

export function wrongFile(found: string, line?: number, cause?: unknown): TranscriptError {
  return new TranscriptError({
    message: `${found} ${EXPECTED}`,
    fix: FIX,
    ...defined({ line, cause }),
  });
}

/** Says what a text that isn't JSON looks like. `lines` are the first ones of it. */
export function describeText(lines: readonly string[]): string {
  const text = lines.join("\n").trimStart();
  const first = text.split("\n", 1)[0] ?? "";
  if (text === "") return "the file is empty.";
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what a binary file is known by
  if (/[\u0000-\u0008\u000e-\u001a]|\ufffd{2}/.test(text)) return "this is a binary file.";
  if (/^<!doctype html|^<html/i.test(text)) return "this is an HTML page.";
  if (/^<\?xml|^<[a-z][\w-]*[\s>]/i.test(text)) return "this is XML or markup.";
  if (SINGLE_QUOTED.test(text)) return "this is not JSON: its texts are in single quotes.";
  const columns = first.split(/[,;\t]/).length;
  const second = lines.filter((line) => line.trim() !== "")[1];
  if (!/^[[{"]/.test(first) && columns > 1 && second?.split(/[,;\t]/).length === columns)
    return `this looks like a table (CSV) with ${columns} columns.`;
  if (/^(---\s*$|#{1,6} |[-*] )/.test(first)) return "this looks like Markdown.";
  if (/^[[{"]/.test(first)) return "this is not valid JSON.";
  const shown = cutTo(first, SHOWN_CHARACTERS);
  return `this is plain text ("${shown}").`;
}

/** Frames by their numbers, or a recording that says how many a second has. */
function isRecordedStream(value: unknown): boolean {
  if (!isFields(value)) return false;
  const { role, start, end, fps, conversation } = value;
  if (role === "frames") return typeof start === "number" && typeof end === "number";
  return typeof fps === "number" && Array.isArray(conversation);
}

/** Says what a JSON value looks like that isn't a conversation. */
export function describeValue(value: unknown): string {
  if (isRecordedStream(Array.isArray(value) ? value[0] : value))
    return "a recorded stream, which `precis stream` reads.";
  if (Array.isArray(value)) {
    if (value.length === 0) return "an empty list.";
    return `a list of ${value.length} ${isFields(value[0]) ? `objects with ${keysOf(value[0])}` : `values like ${shortJson(value[0])}`}.`;
  }
  if (isFields(value)) {
    const empty = ["messages", "input", "conversations"].find(
      (key) => Array.isArray(value[key]) && value[key].length === 0,
    );
    if (empty !== undefined) return `an object whose \`${empty}\` is an empty list.`;
    return `an object with ${keysOf(value)}.`;
  }
  return `${shortJson(value)}.`;
}

function keysOf(value: Fields): string {
  const keys = Object.keys(value);
  if (keys.length === 0) return "no fields";
  const named = keys
    .slice(0, NAMED_KEYS)
    .map((key) => `\`${clipped(key)}\``)
    .join(", ");
  const more = keys.length - NAMED_KEYS;
  return `the field${keys.length === 1 ? "" : "s"} ${named}${more > 0 ? ` and ${more} more` : ""}`;
}

function shortJson(value: unknown): string {
  const json = stringifyDeep(value) ?? "nothing";
  return clipped(json);
}

const clipped = (text: string): string => cutTo(text, SHOWN_CHARACTERS);
