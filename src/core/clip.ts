import { isExactNumber, isRecord, tryParseReadable } from "./json.ts";

/** Of what a clipped text may keep, this share stands before the marker, the rest after it: ends of logs matter more. */
const HEAD_SHARE = 0.4;
/** A cut moves to a line or JSON boundary if one lies within this share of the kept side. */
const SNAP_SHARE = 0.25;
/** How often the length is corrected before the text is given up and only the marker stays. */
const MAX_ATTEMPTS = 6;
/** Aim a little below the allowance, so that the first attempt mostly fits. */
const AIM = 0.97;

/** What stands where text was taken out. */
export function clipMarker(characters: number, lines: number): string {
  return `[… ${characters} characters${lines > 1 ? `, ${lines} lines` : ""} not shown …]`;
}

/**
 * The text within `allowance` tokens: its first 40 % and last 60 % with a marker between, cut at a line or JSON boundary
 * where one is near. Returns the text itself if it fits, and undefined if not even the marker does.
 */
export function clipText(
  text: string,
  allowance: number,
  count: (text: string) => number,
): string | undefined {
  const whole = count(text);
  if (whole <= allowance) return text;
  let keep = Math.floor((text.length * Math.max(0, allowance - 12) * AIM) / whole);
  const lines = lineCount(text);
  for (let attempt = 0; attempt < MAX_ATTEMPTS && keep > 0; attempt++) {
    const clipped = cut(text, lines, keep);
    const tokens = count(clipped);
    if (tokens <= allowance) return clipped;
    keep = Math.floor(keep * Math.min(0.9, (allowance / tokens) * AIM));
  }
  const marker = clipMarker(text.length, lines);
  return count(marker) <= allowance ? marker : undefined;
}

function cut(text: string, lines: number, keep: number): string {
  const headEnd = snapBack(text, Math.floor(keep * HEAD_SHARE));
  const tailStart = snapForward(text, text.length - Math.floor(keep * (1 - HEAD_SHARE)));
  const glue = lines > 1 ? "\n" : " ";
  const head = text.slice(0, headEnd);
  const tail = text.slice(tailStart);
  // Counted by what stays, which is mostly the smaller part.
  const hiddenLines = lines - (lineCount(head) - 1) - (lineCount(tail) - 1);
  return `${head}${head && !head.endsWith("\n") ? glue : ""}${clipMarker(tailStart - headEnd, hiddenLines)}${
    tail && !tail.startsWith("\n") ? glue : ""
  }${tail}`;
}

function snapBack(text: string, at: number): number {
  const least = Math.floor(at * (1 - SNAP_SHARE));
  const line = text.lastIndexOf("\n", at - 1) + 1;
  if (line > least) return line;
  const json = text.lastIndexOf(",", at - 1) + 1;
  if (json > least) return json;
  return avoidHalves(text, at);
}

function snapForward(text: string, at: number): number {
  const most = Math.ceil(at + (text.length - at) * SNAP_SHARE);
  const line = text.indexOf("\n", at) + 1;
  if (line > 0 && line < most) return line;
  const json = text.indexOf(",", at) + 1;
  if (json > 0 && json < most) return json;
  return avoidHalves(text, at);
}

/** An escape sequence of JSON, and of most languages. */
const ESCAPE = /\\(?:u[\da-fA-F]{4}|[^u]|u)/y;
const LONGEST_ESCAPE = 6;

/**
 * A cut must not go through a surrogate pair, half of which is invalid on most wires, nor through an escape sequence, whose end would
 * be read as a letter.
 */
function avoidHalves(text: string, at: number): number {
  // Looked for right before the cut only: a search would go back to the beginning of a text that has none.
  const from = Math.max(0, at - LONGEST_ESCAPE + 1);
  const begin = from + text.slice(from, at).lastIndexOf("\\");
  if (begin >= from && !isEscaped(text, begin)) {
    ESCAPE.lastIndex = begin;
    const end = begin + (ESCAPE.exec(text)?.[0].length ?? 0);
    if (end > at) return end;
  }
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at + 1 : at;
}

/** Is a backslash itself what another one before it escapes? */
function isEscaped(text: string, at: number): boolean {
  let before = 0;
  while (text[at - 1 - before] === "\\") before++;
  return before % 2 === 1;
}

function lineCount(text: string): number {
  let lines = 1;
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) === 10) lines++;
  return lines;
}

/**
 * Call arguments within `allowance` tokens: still a JSON object with the same keys, its longest strings clipped.
 * Arguments that aren't a JSON object become `{ "clipped": … }`, because providers refuse anything but an object.
 */
export function clipArgs(
  args: string,
  allowance: number,
  count: (text: string) => number,
): string | undefined {
  const whole = count(args);
  if (whole <= allowance) return args;
  const value = tryParseReadable(args);
  const isObject = isRecord(value) && !isExactNumber(value);
  const object = isObject ? value : { clipped: value === undefined ? args : value };
  let perString = Math.max(8, Math.floor(allowance / 2));
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const clipped = JSON.stringify(clipValue(object, perString, count));
    if (count(clipped) <= allowance) return clipped;
    perString = Math.floor(perString / 3);
  }
  return count("{}") <= allowance ? "{}" : undefined;
}

/** Array items kept at each end when arguments must shrink. */
const KEPT_ITEMS = 3;

function clipValue(value: unknown, perString: number, count: (text: string) => number): unknown {
  if (typeof value === "string") return clipText(value, perString, count) ?? "";
  if (Array.isArray(value)) {
    const items =
      value.length > 2 * KEPT_ITEMS
        ? [
            ...value.slice(0, KEPT_ITEMS),
            `… ${value.length - 2 * KEPT_ITEMS} more …`,
            ...value.slice(-KEPT_ITEMS),
          ]
        : value;
    return items.map((item) => clipValue(item, perString, count));
  }
  if (typeof value === "object" && value !== null && !isExactNumber(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, clipValue(inner, perString, count)]),
    );
  }
  return value;
}
