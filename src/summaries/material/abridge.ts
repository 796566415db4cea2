import { evenShare, onceFor } from "../../core/collections.ts";
import { firstCharacters, lastCharacters } from "../../core/first-characters.ts";
import { isExactNumber, isRecord, parseReadable } from "../../core/json.ts";
import type { Message, Part } from "../../core/types.ts";

/**
 * Of a longer text only the beginning and the end are looked at for what a summary should say (characters). It is many times
 * what a summary has room for, and reading all of a text of tens of megabytes would keep a server busy for seconds.
 */
const MOST_READ = 400_000;
/**
 * The same for all texts together, about four million tokens: where they are more, the longest are abridged until they aren't.
 * Each line counts for itself, because reading a line takes as long as reading so many characters.
 */
const MOST_READ_IN_ALL = 16_000_000;
const LINE_CHARS = 16;
/** No text is abridged to less, however many there are (characters). */
const LEAST_READ = 256;
/** The end of a log says more than its beginning. */
const HEAD_SHARE = 0.4;

/** The messages with their longest texts abridged; the very same list where none is that long. */
export const abridged = onceFor((messages: readonly Message[]): readonly Message[] => {
  const texts = messages.flatMap(({ parts }) => parts.map((part) => textIn(part) ?? ""));
  const chars = texts.reduce((sum, { length }) => sum + length, 0);
  // Lines are counted only where there may be too many.
  const isMuch = chars * (1 + LINE_CHARS) > MOST_READ_IN_ALL;
  const sizes = isMuch ? texts.map((text) => text.length + LINE_CHARS * linesIn(text)) : [];
  const share = evenShare(sizes, MOST_READ_IN_ALL);
  const isTooMuch = share !== Number.POSITIVE_INFINITY;
  const read = messages.map((message) => {
    const parts = message.parts.map((part) => {
      const text = textIn(part) ?? "";
      // A text of short lines gets as many characters as its lines leave it.
      const perChar = isTooMuch ? 1 + (LINE_CHARS * linesIn(text)) / text.length : 1;
      const most = Math.max(LEAST_READ, Math.floor(Math.min(MOST_READ, share / perChar)));
      return text.length > most ? abridgedPart(part, most) : part;
    });
    return parts.some((part, at) => part !== message.parts[at]) ? { ...message, parts } : message;
  });
  return read.some((message, at) => message !== messages[at]) ? read : messages;
});

/** Line breaks of a text, as far as they are looked at. */
function linesIn(text: string): number {
  let lines = 0;
  for (let at = text.indexOf("\n"); at >= 0 && at < MOST_READ; at = text.indexOf("\n", at + 1)) lines++;
  return lines;
}

function textIn(part: Part): string | undefined {
  if (part.type === "tool-call") return part.args;
  return "text" in part ? part.text : undefined;
}

function abridgedPart(part: Part, most: number): Part {
  return part.type === "tool-call"
    ? { ...part, args: abridgedArgs(part.args, most) }
    : ({ ...part, text: ends(textIn(part)!, most) } as Part);
}

/** Arguments stay JSON, so that it can still be told what a call was about. */
function abridgedArgs(args: string, most: number): string {
  try {
    const short = JSON.stringify(withShortTexts(parseReadable(args), most));
    if (short.length <= 2 * most) return short;
  } catch {
    // What isn't JSON is a text.
  }
  return ends(args, most);
}

function withShortTexts(value: unknown, most: number): unknown {
  if (typeof value === "string") return value.length > most ? ends(value, most) : value;
  if (Array.isArray(value)) return value.map((inner) => withShortTexts(inner, most));
  if (!isRecord(value) || isExactNumber(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withShortTexts(inner, most)]));
}

/** Beginning and end of a text, in whole lines where its lines aren't endless. */
function ends(text: string, most: number): string {
  // One for the line break between them.
  const head = firstCharacters(text, Math.floor((most - 1) * HEAD_SHARE));
  const tail = lastCharacters(text, Math.floor((most - 1) * (1 - HEAD_SHARE)));
  const lastLine = head.lastIndexOf("\n") + 1;
  const firstLine = tail.indexOf("\n") + 1;
  return `${lastLine > 0 ? head.slice(0, lastLine) : head}\n${tail.slice(firstLine)}`;
}
