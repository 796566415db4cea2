import { TranscriptError } from "../../core/errors.ts";
import { cutTo, firstCharacters } from "../../core/first-characters.ts";
import { parseExact, tryParseExact } from "../../core/json.ts";
import { fieldsOf, isFields, listOf } from "./fields.ts";
import { messages, placesAt } from "./message-list.ts";
import { readDocument, recordFormats } from "./read-document.ts";
import { isWireMessage } from "./requests.ts";
import type { LogOptions, RecordReader, TranscriptLog } from "./types.ts";
import { describeText, describeValue, EXPECTED, SINGLE_QUOTED, wrongFile } from "./wrong-file.ts";

/** Takes a file line by line, so that large logs needn't be in memory as text. */
interface LogReader {
  /** The next line, with or without its line break. Throws `TranscriptError` for a file that is no conversation. */
  push(line: string): void;
  /** The conversation. Throws `TranscriptError` when there are several and `pick` chose none. */
  end(): TranscriptLog;
  /** All conversations of the file, at least one. */
  endAll(): readonly TranscriptLog[];
  /** After an error: lines of a conversation were there, and one among them can't be read. */
  isDamaged(): boolean;
}

/** Lines that are kept to say what a file is that can't be read. */
const SAMPLE_LINES = 20;
/** Conversations that an error names. */
const LISTED = 10;
/** Of a message, as a title (characters), and what is read for it. */
const TITLE_CHARS = 60;
const TITLE_FROM_CHARS = 500;

/** Reads JSONL logs and JSON files alike; which one it is shows in the first line. */
export function createLogReader(options: LogOptions = {}): LogReader {
  const sample: string[] = [];
  /** Lines of a JSON value that spreads over several lines. */
  const text: string[] = [];
  /** Records before the first one that tells the format, with their lines. */
  const waiting: { readonly value: unknown; readonly line: number }[] = [];
  let mode: "start" | "records" | "text" | "wrong" = "start";
  let reader: RecordReader | undefined;
  /** Lines of a log that hold a value, but no record. */
  const noRecords: number[] = [];
  let line = 0;
  let broken: { readonly line: number; readonly error: unknown } | undefined;

  const take = (value: unknown): void => {
    if (reader !== undefined) {
      if (isFields(value)) reader.push(value, line);
      else noRecords.push(line);
      return;
    }
    waiting.push({ value, line });
    if (!isFields(value)) return;
    reader = recordFormats.find((format) => format.matches(value))?.create(options);
    if (reader === undefined) return;
    for (const before of waiting)
      if (isFields(before.value)) reader.push(before.value, before.line);
      else noRecords.push(before.line);
    waiting.length = 0;
  };

  const push = (rawLine: string): void => {
    line += 1;
    const raw = line === 1 ? rawLine.replace(/^\ufeff/, "") : rawLine;
    const trimmed = raw.trim();
    if (sample.length < SAMPLE_LINES) sample.push(trimmed);
    if (trimmed === "" && mode !== "text") return;
    if (broken !== undefined && mode === "records") throw invalidJson(broken.line, broken.error);
    if (mode === "text") {
      text.push(raw);
      return;
    }
    if (mode === "wrong") throw wrongFile(describeText(sample), broken?.line, broken?.error);
    try {
      const value = parseExact(trimmed);
      mode = "records";
      take(value);
    } catch (error) {
      if (error instanceof TranscriptError) throw error;
      if (mode === "start") {
        // One more line says more about a file that isn't JSON at all: a table has columns in both.
        mode = /^[[{]/.test(trimmed) && !SINGLE_QUOTED.test(trimmed) ? "text" : "wrong";
        text.push("\n".repeat(line - 1) + raw);
      }
      broken = { line, error };
    }
  };

  const endAll = (): readonly TranscriptLog[] => {
    if (mode === "start") throw wrongFile(describeText(sample));
    if (mode === "wrong") throw wrongFile(describeText(sample), broken?.line, broken?.error);
    if (mode === "text") return readDocument(parseText(text.join("\n"), sample), options);
    const cut = [
      ...(noRecords.length === 0 ? [] : [`left out ${placesAt("line", noRecords)}: no record stands there`]),
      ...(broken === undefined ? [] : [`line ${broken.line} is cut off and was left out`]),
    ];
    const logs = reader === undefined ? readWaiting(waiting, options) : [reader.end()];
    const full = logs.filter((log) => log.messages.length > 0);
    if (full.length === 0) throw wrongFile("the log holds no messages.");
    return cut.length === 0 ? full : full.map((log) => ({ ...log, warnings: [...log.warnings, ...cut] }));
  };

  const isDamaged = (): boolean => {
    if (broken === undefined) return false;
    if (mode === "records") return reader !== undefined || waiting.some(({ value }) => isLogLine(value));
    return mode === "text" && sample.slice(1).some((one) => isLogLine(tryParseExact(one)));
  };

  return { push, endAll, isDamaged, end: () => pickOne(endAll(), options) };
}

/** Chooses by `pick`, which counts from 1. */
function pickOne(logs: readonly TranscriptLog[], options: LogOptions): TranscriptLog {
  const { pick } = options;
  const chosen = logs[(pick ?? 1) - 1];
  if (pick !== undefined && chosen === undefined) {
    throw new TranscriptError({
      message: `conversation ${pick} was asked for, but the file holds ${logs.length}.`,
      fix: logs.length === 1 ? "Leave out --pick (`pick`)." : `Choose a number from 1 to ${logs.length}.`,
    });
  }
  if (chosen === undefined || (pick === undefined && logs.length > 1)) {
    const named = logs.slice(0, LISTED).map((log, index) => `${index + 1}: ${describeLog(log)}`);
    const more = logs.length > LISTED ? `, and ${logs.length - LISTED} more` : "";
    throw new TranscriptError({
      message: `the file holds ${logs.length} conversations (${named.join("; ")}${more}).`,
      fix: "Choose one with `pick` (`--pick N`).",
    });
  }
  return chosen;
}

function describeLog({ title, id, ...log }: TranscriptLog): string {
  const words = title ?? firstWords(log);
  const name = title === undefined && words !== "" && id !== undefined ? `${words} (${id})` : words || id;
  return [name, messages(log.messages.length)].filter(Boolean).join(", ");
}

/** What the user said first, in one line without tags. Every wire format has texts in `content` or `parts`. */
function firstWords({ messages: all }: Pick<TranscriptLog, "messages">): string {
  for (const message of all) {
    if (!isFields(message) || message.role !== "user") continue;
    const said = [
      message.content,
      ...listOf(message.content ?? message.parts).map((part) => fieldsOf(part).text),
    ];
    const text = firstCharacters(said.filter((one) => typeof one === "string").join(" "), TITLE_FROM_CHARS);
    const words = text
      .replace(/<[^>]{0,200}>/g, " ")
      .replace(/\s+/g, " ")
      .trim();
    if (words !== "") return cutTo(words, TITLE_CHARS);
  }
  return "";
}

/** Lines that told no log format: one value, a message per line, or a conversation per line. */
function readWaiting(
  waiting: readonly { readonly value: unknown; readonly line: number }[],
  options: LogOptions,
): readonly TranscriptLog[] {
  const first = waiting[0];
  if (waiting.length === 1 && first !== undefined) return readDocument(first.value, options, first.line);
  const bad = waiting.find((record) => !isFields(record.value));
  if (bad !== undefined) throw wrongFile(`found ${describeValue(bad.value)}`, bad.line);
  const values = waiting.map((record) => record.value);
  try {
    return readDocument(values, options);
  } catch (error) {
    if (!(error instanceof TranscriptError)) throw error;
    // A list says which conversation is wrong; a file of lines says which line.
    const odd = isWireMessage(first?.value)
      ? waiting.find((record) => !isWireMessage(record.value))
      : undefined;
    if (odd !== undefined) throw wrongFile(`found ${describeValue(odd.value)}`, odd.line);
    for (const record of waiting) readDocument(record.value, options, record.line);
    throw error;
  }
}

const isLogLine = (value: unknown): boolean =>
  isFields(value) && (isWireMessage(value) || recordFormats.some((format) => format.matches(value)));

function invalidJson(line: number, error: unknown): TranscriptError {
  return new TranscriptError({
    message: `invalid JSON (${reasonOf(error)}). ${EXPECTED}`,
    fix: "Repair or remove that line.",
    line,
    cause: error,
  });
}

function parseText(text: string, sample: readonly string[]): unknown {
  try {
    return parseExact(text);
  } catch (error) {
    // The first line was broken, the others stand by themselves: JSONL, not one value.
    if (sample.slice(1).some((line) => /^\{.*\}$/.test(line))) throw invalidJson(1, error);
    throw invalidJson(lineOf(text, error), error);
  }
}

const reasonOf = (error: unknown): string =>
  firstCharacters(
    (error instanceof Error ? error.message : String(error)).replace(/,? *"?\.\.\..*$/s, ""),
    120,
  );

/** Engines say `position 123` or `line 4 column 5`; a text that simply stops is wrong at its end. */
function lineOf(text: string, error: unknown): number {
  const message = error instanceof Error ? error.message : "";
  const byLine = /line (\d+)/.exec(message)?.[1];
  if (byLine !== undefined) return Number(byLine);
  const position = /position (\d+)/.exec(message)?.[1];
  return text.slice(0, position === undefined ? undefined : Number(position)).split("\n").length;
}

/** The conversation in a whole text. Throws `TranscriptError` when it holds several and `pick` chose none. */
export const readLog = (text: string, options: LogOptions = {}): TranscriptLog => feed(text, options).end();

/** All conversations in a whole text, at least one. */
export const readLogs = (text: string, options: LogOptions = {}): readonly TranscriptLog[] =>
  feed(text, options).endAll();

function feed(text: string, options: LogOptions): LogReader {
  const reader = createLogReader(options);
  for (let start = 0; start <= text.length; ) {
    const end = text.indexOf("\n", start);
    reader.push(text.slice(start, end < 0 ? undefined : end));
    if (end < 0) break;
    start = end + 1;
  }
  return reader;
}
