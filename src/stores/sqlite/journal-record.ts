import { crc32 } from "node:zlib";
import type { Append, NewMessage } from "../server-store.ts";
import type { AppendCall } from "../shared/plan-append.ts";

/**
 * What version 0.1 wrote into `precis.db-journals`: an append each, as a line with three numbers in hexadecimal digits (how many
 * bytes follow, their checksum, and how many of them are the JSON at their end), its texts, and the rest as a JSON list.
 */

/** What stands at an offset: an append and where the next one begins; the beginning of one, or nothing; or something else. */
type RecordAt = { readonly call: AppendCall; readonly end: number } | "unfinished" | "damaged";

const VERSION = 2;
const LINE = /^([0-9a-f]{8}) ([0-9a-f]{8}) ([0-9a-f]{8})\n$/;
const LINE_BYTES = 27;
const HEXADECIMAL = 16;

export function readRecord(bytes: Buffer, from: number): RecordAt {
  const start = from + LINE_BYTES;
  if (bytes.length < start) return "unfinished";
  const [length, sum, jsonBytes] = (LINE.exec(bytes.toString("latin1", from, start)) ?? [])
    .slice(1)
    .map((digits) => Number.parseInt(digits, HEXADECIMAL));
  if (length === undefined || sum === undefined || jsonBytes === undefined) return "damaged";
  const end = start + length;
  if (bytes.length < end) return "unfinished";
  if (crc32(bytes.subarray(start, end)) !== sum) return "damaged";
  const values = readValues(bytes.toString("utf8", end - jsonBytes, end));
  if (values?.[0] !== VERSION) return "damaged";
  return { call: callOf(values, bytes.subarray(start, end)), end };
}

/** What a damaged line points to needn't be JSON. */
function readValues(text: string): unknown[] | undefined {
  try {
    const values: unknown = JSON.parse(text);
    return Array.isArray(values) ? values : undefined;
  } catch {
    return undefined;
  }
}

/** Values in their order, and the texts that some of them are the lengths of. */
function callOf(values: readonly unknown[], texts: Buffer): AppendCall {
  // Behind the version.
  let at = 1;
  const next = <T>(): T => (values[at++] ?? undefined) as T;
  let taken = 0;
  const text = (bytes: number | undefined): string | undefined => {
    if (bytes === undefined) return undefined;
    taken += bytes;
    return texts.toString("utf8", taken - bytes, taken);
  };
  const tenant = next<string>();
  const id = next<string>();
  // How long the conversation was: its last message says so, too.
  next<number>();
  const [headBytes, titleBytes] = [next<number | undefined>(), next<number | undefined>()];
  const facts: Partial<Record<keyof Append, unknown>> = {};
  for (const name of FACTS) facts[name] = next();
  const [head, title] = [text(headBytes), text(titleBytes)];
  const messages: NewMessage[] = [];
  while (at < values.length) {
    const message: Partial<Record<keyof NewMessage, unknown>> = { wire: text(next()) };
    for (const name of MESSAGE_FACTS) message[name] = next();
    messages.push(saidIn(message) as unknown as NewMessage);
  }
  return { tenant, id, input: saidIn({ ...facts, head, title, messages }) as unknown as Append };
}

const FACTS = [
  "at",
  "conversation",
  "session",
  "named",
  "isNew",
  "after",
  "dialect",
  "model",
  "ttlMs",
] as const satisfies readonly (keyof Append)[];
const MESSAGE_FACTS = [
  "hash",
  "role",
  "at",
  "tokens",
  "answer",
] as const satisfies readonly (keyof NewMessage)[];

/** Only what was said. */
function saidIn(facts: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
}
