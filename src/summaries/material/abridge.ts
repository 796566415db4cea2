import { parseReadable } from "../../core/deep-json.ts";
import { isExactNumber } from "../../core/exact-json.ts";
import { firstCharacters, lastCharacters } from "../../core/first-characters.ts";
import { isRecord } from "../../core/is-record.ts";
import { onceFor } from "../../core/once-for.ts";
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

/** By message, with the limit that it was abridged to. */
const known = new WeakMap<Message, { readonly most: number; readonly message: Message }>();

/** The messages with their longest texts abridged; the very same list where none is that long. */
export const abridged = onceFor((messages: readonly Message[]): readonly Message[] => {
  const limit = limitOf(messages);
  const isLong = ({ parts }: Message) => parts.some((part) => isAbove(part, limit));
  const read = messages.map((message) => (isLong(message) ? abridgedMessage(message, limit) : message));
  return read.some((message, at) => message !== messages[at]) ? read : messages;
});

/** What each text may have: characters, or where all of them together would be too much, characters and lines. */
interface Limit {
  readonly most: number;
  readonly countsLines: boolean;
}

function limitOf(messages: readonly Message[]): Limit {
  const usual = { most: MOST_READ, countsLines: false };
  let chars = 0;
  for (const { parts } of messages) for (const part of parts) chars += textIn(part)?.length ?? 0;
  // Lines are counted only where there may be too many.
  if (chars * (1 + LINE_CHARS) <= MOST_READ_IN_ALL) return usual;
  const sizes = messages.flatMap(({ parts }) => parts.map((part) => sizeOf(part, MOST_READ)));
  let most = MOST_READ;
  const total = () => sizes.reduce((sum, size) => sum + Math.min(size, most), 0);
  if (total() <= MOST_READ_IN_ALL) return usual;
  while (most > LEAST_READ && total() > MOST_READ_IN_ALL) most = Math.max(LEAST_READ, Math.floor(most / 2));
  return { most, countsLines: true };
}

function isAbove(part: Part, { most, countsLines }: Limit): boolean {
  const chars = textIn(part)?.length ?? 0;
  if (!countsLines || chars * (1 + LINE_CHARS) <= most) return chars > most;
  return sizeOf(part, most) > most;
}

/** Characters of a part's text, and what its lines count; no more than a little above `most`. */
function sizeOf(part: Part, most: number): number {
  const text = textIn(part);
  if (text === undefined) return 0;
  let size = text.length;
  for (let at = text.indexOf("\n"); at >= 0 && size <= most; at = text.indexOf("\n", at + 1))
    size += LINE_CHARS;
  return size;
}

function textIn(part: Part): string | undefined {
  if (part.type === "tool-call") return part.args;
  return "text" in part ? part.text : undefined;
}

function abridgedMessage(message: Message, limit: Limit): Message {
  const before = known.get(message);
  if (before?.most === limit.most) return before.message;
  const one = { ...message, parts: message.parts.map((part) => abridgedPart(part, limit)) };
  known.set(message, { most: limit.most, message: one });
  return one;
}

function abridgedPart(part: Part, limit: Limit): Part {
  const text = textIn(part);
  if (text === undefined || !isAbove(part, limit)) return part;
  return part.type === "tool-call"
    ? { ...part, args: abridgedArgs(text, limit) }
    : ({ ...part, text: ends(text, limit) } as Part);
}

/** Arguments stay JSON, so that it can still be told what a call was about. */
function abridgedArgs(args: string, limit: Limit): string {
  try {
    const short = JSON.stringify(withShortTexts(parseReadable(args), limit));
    if (short.length <= 2 * limit.most) return short;
  } catch {
    // What isn't JSON is a text.
  }
  return ends(args, limit);
}

function withShortTexts(value: unknown, limit: Limit): unknown {
  if (typeof value === "string") return value.length > limit.most ? ends(value, limit) : value;
  if (Array.isArray(value)) return value.map((inner) => withShortTexts(inner, limit));
  if (!isRecord(value) || isExactNumber(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withShortTexts(inner, limit)]));
}

/** Beginning and end of a text, in whole lines where its lines aren't endless. */
function ends(text: string, { most, countsLines }: Limit): string {
  // A text of short lines gets as many characters as its lines leave it.
  const looked = Math.min(most, text.length);
  const lines = countsLines ? breaksIn(text, looked) * LINE_CHARS : 0;
  const chars = (most * looked) / (looked + lines);
  const head = firstCharacters(text, Math.floor(chars * HEAD_SHARE));
  const tail = lastCharacters(text, Math.ceil(chars * (1 - HEAD_SHARE)));
  const lastLine = head.lastIndexOf("\n") + 1;
  const firstLine = tail.indexOf("\n") + 1;
  return `${lastLine > 0 ? head.slice(0, lastLine) : head}\n${tail.slice(firstLine)}`;
}

/** Line breaks among the first characters of a text. */
function breaksIn(text: string, chars: number): number {
  let breaks = 0;
  for (let at = text.indexOf("\n"); at >= 0 && at < chars; at = text.indexOf("\n", at + 1)) breaks++;
  return breaks;
}
