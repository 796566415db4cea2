import { crc32 } from "node:zlib";
import { HEX_DIGITS } from "../../../core/hex-digits.ts";
import type { Append, NewMessage } from "../../server-store.ts";
import type { AppendCall } from "../../sql/sql-engine.ts";
import type { AppendFacts } from "../../sql/write-conversation.ts";

/** One append as a journal takes it. */
export interface JournalRecord {
  readonly call: AppendCall;
  /** How long its conversation was, as far as the writer knew: where its messages belong. */
  readonly position: number;
}

/** A message without its text. */
export type MessageFacts = Facts<Omit<NewMessage, "wire">>;

/** What isn't there may be undefined, too. */
type Facts<T> = { readonly [K in keyof T]: undefined extends T[K] ? T[K] | undefined : T[K] };

/** A record as it was read. Its texts stay bytes, because most of them go into the database as they are. */
export interface ReadRecord {
  readonly tenant: string;
  readonly id: string;
  readonly position: number;
  readonly facts: Omit<AppendFacts, "title">;
  readonly title: Buffer | undefined;
  readonly head: Buffer | undefined;
  readonly messages: readonly MessageFacts[];
  /** The texts of the messages. */
  readonly wires: readonly Buffer[];
  /** Where the next record begins. */
  readonly end: number;
}

/** What stands at an offset: a record, the beginning of one (or nothing), or something else. */
export type RecordAt = ReadRecord | "unfinished" | "damaged";

const VERSION = 2;
/**
 * A line holds three numbers, a space between them: how many bytes follow, their checksum, and how many of them are the JSON
 * at their end.
 */
const LINE_BYTES = 27;
/** Hexadecimal digits of each. */
const WIDTH = 8;
/** By character code; -1: no digit. */
const HEX_VALUES = Int8Array.from({ length: 256 }, (_, code) => HEX_DIGITS.indexOf(code));
const SPACE = 0x20;
const LINE_END = 0x0a;

/** A character has at most three bytes. */
const BYTES_PER_CHARACTER = 3;
/** What is kept for the next records (bytes). */
const KEPT_BYTES = 1_024 * 1_024;
const kept = Buffer.allocUnsafeSlow(KEPT_BYTES);

/**
 * Of each record a line; then its texts as they are, because to quote them once more would be most of the work; then the
 * rest as JSON. What it returns is overwritten by the next call.
 */
export function writeRecords(records: readonly JournalRecord[]): Buffer {
  let bytes: Buffer = kept;
  let at = 0;
  const write = (text: string): number => {
    bytes = withRoom(bytes, at, text.length * BYTES_PER_CHARACTER);
    const length = bytes.write(text, at);
    at += length;
    return length;
  };
  for (const record of records) {
    bytes = withRoom(bytes, at, LINE_BYTES);
    const start = at + LINE_BYTES;
    at = start;
    const { head, title, messages } = record.call.input;
    const headBytes = head === undefined ? undefined : write(head);
    // A title that was cut ends in a sign that would make all of the JSON twice as long in memory.
    const titleBytes = title === undefined ? undefined : write(title);
    const values = valuesOf(record, headBytes, titleBytes);
    for (const message of messages) addMessage(values, message, write(message.wire));
    const jsonBytes = write(JSON.stringify(values));
    const sum = crc32(bytes.subarray(start, at));
    writeLine(bytes, start - LINE_BYTES, at - start, sum, jsonBytes);
  }
  return bytes.subarray(0, at);
}

function withRoom(bytes: Buffer, used: number, more: number): Buffer {
  if (used + more <= bytes.length) return bytes;
  const larger = Buffer.allocUnsafe(Math.max(2 * bytes.length, used + more));
  bytes.copy(larger, 0, 0, used);
  return larger;
}

/**
 * One list without names, which would be most of it; the messages follow behind these. What isn't there is null in JSON.
 * `recordOf` reads them in the same order.
 */
function valuesOf(
  { call: { tenant, id, input }, position }: JournalRecord,
  headBytes: number | undefined,
  titleBytes: number | undefined,
): unknown[] {
  const { at, conversation, session, named, isNew, after, dialect, model, ttlMs } = input;
  return [
    VERSION,
    tenant,
    id,
    position,
    headBytes,
    titleBytes,
    at,
    conversation,
    session,
    named,
    isNew,
    after,
    dialect,
    model,
    ttlMs,
  ];
}

function addMessage(values: unknown[], message: NewMessage, bytes: number): void {
  values.push(bytes, message.hash, message.role, message.at, message.tokens, message.answer);
}

function writeLine(bytes: Buffer, at: number, length: number, sum: number, jsonBytes: number): void {
  writeHex(bytes, at, length);
  bytes[at + WIDTH] = SPACE;
  writeHex(bytes, at + WIDTH + 1, sum);
  bytes[at + 2 * WIDTH + 1] = SPACE;
  writeHex(bytes, at + 2 * WIDTH + 2, jsonBytes);
  bytes[at + LINE_BYTES - 1] = LINE_END;
}

function writeHex(bytes: Buffer, at: number, value: number): void {
  for (let digit = 0; digit < WIDTH; digit++)
    bytes[at + digit] = HEX_DIGITS[(value >>> (4 * (WIDTH - 1 - digit))) & 15]!;
}

/** Undefined if anything else stands there. */
function readHex(bytes: Buffer, at: number): number | undefined {
  let value = 0;
  for (let digit = 0; digit < WIDTH; digit++) {
    const found = HEX_VALUES[bytes[at + digit]!]!;
    if (found < 0) return undefined;
    value = value * 16 + found;
  }
  return value;
}

export function readRecord(bytes: Buffer, from: number): RecordAt {
  const start = from + LINE_BYTES;
  if (bytes.length < start) return "unfinished";
  const length = readHex(bytes, from);
  const sum = readHex(bytes, from + WIDTH + 1);
  const jsonBytes = readHex(bytes, from + 2 * WIDTH + 2);
  const isLine =
    bytes[from + WIDTH] === SPACE && bytes[from + 2 * WIDTH + 1] === SPACE && bytes[start - 1] === LINE_END;
  if (!isLine || length === undefined || sum === undefined || jsonBytes === undefined) return "damaged";
  const end = start + length;
  if (bytes.length < end) return "unfinished";
  if (crc32(bytes.subarray(start, end)) !== sum) return "damaged";
  const values = readValues(bytes.toString("utf8", end - jsonBytes, end));
  return values?.[0] === VERSION ? recordOf(values, bytes.subarray(start, end), end) : "damaged";
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

function recordOf(values: readonly unknown[], texts: Buffer, end: number): ReadRecord {
  // Behind the version.
  let at = 1;
  const next = <T>(): T => (values[at++] ?? undefined) as T;
  let taken = 0;
  const take = (bytes: number): Buffer => {
    taken += bytes;
    return texts.subarray(taken - bytes, taken);
  };
  const tenant = next<string>();
  const id = next<string>();
  const position = next<number>();
  const headBytes = next<number | undefined>();
  const titleBytes = next<number | undefined>();
  const facts: ReadRecord["facts"] = {
    at: next(),
    conversation: next(),
    session: next(),
    named: next(),
    isNew: next(),
    after: next(),
    dialect: next(),
    model: next(),
    ttlMs: next(),
  };
  const head = headBytes === undefined ? undefined : take(headBytes);
  const title = titleBytes === undefined ? undefined : take(titleBytes);
  const messages: MessageFacts[] = [];
  const wires: Buffer[] = [];
  while (at < values.length) {
    wires.push(take(next()));
    messages.push({ hash: next(), role: next(), at: next(), tokens: next(), answer: next() });
  }
  return { tenant, id, position, facts, title, head, messages, wires, end };
}

/** The append that a record was made of. */
export function callOf({ tenant, id, facts, messages, head, title, wires }: ReadRecord): AppendCall {
  const input = given<Append>({
    ...facts,
    head: head?.toString(),
    title: title?.toString(),
    messages: messages.map((message, index) =>
      given<NewMessage>({ ...message, wire: wires[index]!.toString() }),
    ),
  });
  return { tenant, id, input };
}

/** Without what isn't there. */
function given<T>(facts: Facts<T>): T {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined)) as T;
}
