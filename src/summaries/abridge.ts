import { parseReadable } from "../core/deep-json.ts";
import { isExactNumber } from "../core/exact-json.ts";
import { isRecord } from "../core/is-record.ts";
import type { Message, Part } from "../core/types.ts";

/**
 * Of a longer text only the beginning and the end are looked at for what a summary should say (characters). It is many times
 * what a summary has room for, and reading all of a text of tens of megabytes would keep a server busy for seconds.
 */
const MOST_READ = 400_000;
/** The end of a log says more than its beginning. */
const HEAD_SHARE = 0.4;

const known = new WeakMap<Message, Message>();
const knownLists = new WeakMap<readonly Message[], readonly Message[]>();

/** The messages with their longest texts abridged; the very same list where none is that long. */
export function abridged(messages: readonly Message[]): readonly Message[] {
  if (!messages.some(isLong)) return messages;
  const before = knownLists.get(messages);
  if (before?.length === messages.length) return before;
  const list = messages.map((message) => (isLong(message) ? abridgedMessage(message) : message));
  knownLists.set(messages, list);
  return list;
}

function isLong({ parts }: Message): boolean {
  return parts.some((part) => (textIn(part)?.length ?? 0) > MOST_READ);
}

function textIn(part: Part): string | undefined {
  if (part.type === "tool-call") return part.args;
  return "text" in part ? part.text : undefined;
}

function abridgedMessage(message: Message): Message {
  const before = known.get(message);
  if (before) return before;
  const one = { ...message, parts: message.parts.map(abridgedPart) };
  known.set(message, one);
  return one;
}

function abridgedPart(part: Part): Part {
  if (part.type === "tool-call")
    return part.args.length > MOST_READ ? { ...part, args: abridgedArgs(part.args) } : part;
  if (!("text" in part) || part.text === undefined || part.text.length <= MOST_READ) return part;
  return { ...part, text: ends(part.text, MOST_READ) };
}

/** Arguments stay JSON, so that it can still be told what a call was about. */
function abridgedArgs(args: string): string {
  try {
    const short = JSON.stringify(withShortTexts(parseReadable(args)));
    if (short.length <= 2 * MOST_READ) return short;
  } catch {
    // What isn't JSON is a text.
  }
  return ends(args, MOST_READ);
}

function withShortTexts(value: unknown): unknown {
  if (typeof value === "string") return value.length > MOST_READ ? ends(value, MOST_READ) : value;
  if (Array.isArray(value)) return value.map(withShortTexts);
  if (!isRecord(value) || isExactNumber(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withShortTexts(inner)]));
}

/** Beginning and end of a text, in whole lines where its lines aren't endless. */
function ends(text: string, most: number): string {
  const head = text.slice(0, most * HEAD_SHARE);
  const tail = text.slice(text.length - most * (1 - HEAD_SHARE));
  const lastLine = head.lastIndexOf("\n") + 1;
  const firstLine = tail.indexOf("\n") + 1;
  const short = `${lastLine > 0 ? head.slice(0, lastLine) : head}\n${tail.slice(firstLine)}`;
  // Half of a surrogate pair is no character.
  return short.toWellFormed();
}
