import { parseExact, stringifyDeep } from "../../core/json.ts";
import { isJson, type Json, obj, parseJson, textOf } from "./fields.ts";

/** The JSON of every event of a stream's text, in order. Whatever isn't JSON (`[DONE]`, comments) is left out. */
export function readEvents(given: string): Json[] {
  const text = plainLines(given);
  const found: string[] = [];
  for (const line of text.split("\n")) {
    if (!line.startsWith("data:")) continue;
    const data = line.slice("data:".length).trim();
    if (data.startsWith("{")) found.push(data);
  }
  // All at once is several times as fast as one by one; a broken event among them, or one of several lines, is rare.
  const all = parseList(`[${found.join(",")}]`);
  if (all?.length === found.length) return all.filter(isJson);
  const read = createDataReader();
  return text.split("\n\n").flatMap((block) => eventsIn(block, read));
}

/** The JSON of what stands between two empty lines: one event, or one on each line, as some servers write them. */
export function eventsIn(block: string, read = createDataReader()): readonly Json[] {
  const lines = dataLines(block);
  const one = read(lines.join("\n"));
  return one ? [one] : lines.map((line) => read(line)).filter(isJson);
}

/** Data that begins as JSON and isn't: behind so much of it, nothing more is read. To fail takes far longer than to read. */
const MOST_BROKEN = 1_000;

/** Reads the data of a stream's events; undefined for what isn't JSON. */
function createDataReader(): (data: string) => Json | undefined {
  let broken = 0;
  return (data) => {
    if (broken >= MOST_BROKEN || !data.trimStart().startsWith("{")) return undefined;
    const read = parseJson(data);
    if (isJson(read)) return read;
    broken++;
    return undefined;
  };
}

/** The data of an event, line by line. */
export function dataLines(block: string): readonly string[] {
  return block
    .split("\n")
    .filter((line) => line.startsWith("data:"))
    .map((line) => line.slice("data:".length));
}

function parseList(text: string): readonly unknown[] | undefined {
  try {
    return parseExact(text) as unknown[];
  } catch {
    return undefined;
  }
}

/** Lines of a stream may end with LF, CRLF or CR. */
const LINE_END = /\r\n?|\n/;

/** What the first line of a stream ends with. */
export const lineEndIn = (text: string): string | undefined => LINE_END.exec(text)?.[0];

/** The text with lines that end with LF. */
function plainLines(text: string): string {
  return text.includes("\r") ? text.replaceAll(/\r\n?/g, "\n") : text;
}

/** What ends an event, in plain lines. */
const EVENT_END = "\n\n";
/** The longest beginning of it that may stand at the end of a piece (characters). */
const MAX_CUT = 1;

/** What is cut from a stream: an event without the empty line behind it, or a part of one that is too long to wait for its end. */
export interface CutEvent {
  readonly text: string;
  readonly isPart: boolean;
}

interface EventSplitter {
  (piece: Uint8Array, isLast: boolean): readonly CutEvent[];
  /** The text with line ends as the stream has them: parsers of some clients take no other. */
  withLineEnds(text: string): string;
}

/**
 * Cuts a stream into the texts of its events, whose lines end with LF. What stands behind the last empty line isn't whole yet, and
 * waits. An event of more than `most` characters comes in parts, which are its text as it is, up to the empty line behind it.
 */
export function splitEvents(most: number): EventSplitter {
  let rest: string[] = [];
  let size = 0;
  let tail = "";
  let isPart = false;
  let lineEnd: string | undefined;
  let isBehindCr = false;
  const decoder = new TextDecoder();
  const plain = (text: string): string => {
    const isSplit = isBehindCr && text.startsWith("\n");
    lineEnd = isSplit ? "\r\n" : (lineEnd ?? lineEndIn(text));
    if (text !== "") isBehindCr = text.endsWith("\r");
    return plainLines(isSplit ? text.slice(1) : text);
  };
  const split = (piece: Uint8Array, isLast: boolean): readonly CutEvent[] => {
    const fresh = plain(decoder.decode(piece, { stream: !isLast }));
    rest.push(fresh);
    size += fresh.length;
    const seen = tail + fresh;
    tail = seen.slice(-MAX_CUT);
    // Each piece is looked at once: an event may be tens of megabytes.
    if (!isLast && !seen.includes(EVENT_END)) {
      if (size <= most) return [];
      const part = rest.join("");
      // The empty line may begin here.
      rest = [part.slice(-MAX_CUT)];
      size = 0;
      isPart = true;
      return [{ text: part.slice(0, -MAX_CUT), isPart }];
    }
    const events = rest.join("").split(EVENT_END);
    const last = events.pop()!;
    rest = isLast ? [] : [last];
    size = isLast ? 0 : last.length;
    const cut = (isLast && last !== "" ? [...events, last] : events).map((text) => ({ text, isPart: false }));
    if (!isPart || cut.length === 0) return cut;
    isPart = false;
    return [{ text: `${cut[0]!.text}\n\n`, isPart: true }, ...cut.slice(1)];
  };
  return Object.assign(split, {
    withLineEnds: (text: string) => (lineEnd === undefined ? text : text.replaceAll("\n", lineEnd)),
  });
}

/** The JSON of one event's text; undefined for what isn't JSON. It may stand on several lines. */
export function eventJson(event: string): Json | undefined {
  const data = parseJson(dataLines(event).join("\n"));
  return isJson(data) ? data : undefined;
}

/** An event of a stream as text: those that have a type are named by it. */
export function eventText(event: Json): string {
  const { type } = event;
  return `${typeof type === "string" ? `event: ${type}\n` : ""}data: ${stringifyDeep(event)}\n\n`;
}

/** What an event says of the answer's end by an error, as a body with it; undefined: nothing. */
export function errorIn(event: Json): Json | undefined {
  if (event["error"] != null) return event;
  const response = obj(event["response"]);
  if (response["error"] != null) return response;
  const isFailure = event["type"] === "error" || event["type"] === "response.failed";
  return isFailure ? { error: event } : undefined;
}

/** Why the provider gave an answer up, in its words; undefined: it didn't. */
export function errorText(event: Json): string | undefined {
  const error = errorIn(event)?.["error"];
  if (error === undefined) return undefined;
  return textOf(error) ?? textOf(obj(error)["message"]) ?? stringifyDeep(error);
}

/** Passes the events of a stream through `change`; whatever isn't an event of JSON stays as it is, and what it gives none for. */
export function rewriteEvents(
  change: (event: Json) => readonly Json[] | undefined,
  /** An event of more characters stays as it is, too. */
  most: number,
): (piece: Uint8Array, isLast: boolean) => Uint8Array {
  const split = splitEvents(most);
  const rewrite = ({ text, isPart }: CutEvent): string => {
    if (isPart) return text;
    const data = eventJson(text);
    return (data && change(data)?.map(eventText).join("")) ?? `${text}\n\n`;
  };
  const encoder = new TextEncoder();
  return (piece, isLast) => encoder.encode(split.withLineEnds(split(piece, isLast).map(rewrite).join("")));
}
