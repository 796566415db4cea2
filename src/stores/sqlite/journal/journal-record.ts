import { crc32 } from "node:zlib";
import type { Append, NewMessage } from "../../server-store.ts";
import type { AppendCall } from "../../sql/sql-engine.ts";

/** One append as a journal takes it. */
export interface JournalRecord {
  readonly call: AppendCall;
  /** How long its conversation was, as far as the writer knew: where its messages belong. */
  readonly position: number;
}

/** An append without its texts. */
type Rest = Omit<Append, "head" | "title" | "messages">;

/** A message without its text. */
type MessageMeta = Omit<NewMessage, "wire">;

/** What stands behind the texts of a record, as JSON. */
interface Meta {
  readonly v: typeof VERSION;
  readonly tenant: string;
  readonly id: string;
  readonly position: number;
  readonly rest: Rest;
  readonly messages: readonly MessageMeta[];
  readonly hasHead: boolean;
  readonly hasTitle: boolean;
  /** Of each text: head, title, messages. */
  readonly bytes: readonly number[];
}

/** A record as it was read. Its texts stay bytes, because most of them go into the database as they are. */
export interface ReadRecord extends Pick<Meta, "tenant" | "id" | "position" | "rest" | "messages"> {
  readonly head: Buffer | undefined;
  readonly title: Buffer | undefined;
  /** The texts of the messages. */
  readonly wires: readonly Buffer[];
  /** Where the next record begins. */
  readonly end: number;
}

/** What stands at an offset: a record, the beginning of one (or nothing), or something else. */
export type RecordAt = ReadRecord | "unfinished" | "damaged";

const VERSION = 2;
/** Bytes, their checksum, and how many of them are the JSON at their end; all of fixed width, and the end of the line. */
const LINE = /^([0-9a-f]{8}) ([0-9a-f]{8}) ([0-9a-f]{8})\n$/;
const LINE_BYTES = 27;
const WIDTH = 8;

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
  for (const { call, position } of records) {
    bytes = withRoom(bytes, at, LINE_BYTES);
    const start = at + LINE_BYTES;
    at = start;
    const { head, title, messages } = call.input;
    const lengths = head === undefined ? [] : [write(head)];
    // A title that was cut ends in a sign that would make all of the JSON twice as long in memory.
    if (title !== undefined) lengths.push(write(title));
    for (const { wire } of messages) lengths.push(write(wire));
    const metaBytes = write(metaOf(call, position, lengths));
    const sum = crc32(bytes.subarray(start, at));
    bytes.write(`${hex(at - start)} ${hex(sum)} ${hex(metaBytes)}\n`, start - LINE_BYTES, "latin1");
  }
  return bytes.subarray(0, at);
}

function withRoom(bytes: Buffer, used: number, more: number): Buffer {
  if (used + more <= bytes.length) return bytes;
  const larger = Buffer.allocUnsafe(Math.max(2 * bytes.length, used + more));
  bytes.copy(larger, 0, 0, used);
  return larger;
}

function metaOf({ tenant, id, input }: AppendCall, position: number, bytes: readonly number[]): string {
  const { head, title, messages, ...rest } = input;
  const meta: Meta = {
    v: VERSION,
    tenant,
    id,
    position,
    rest,
    messages: messages.map(({ wire: _, ...message }) => message),
    hasHead: head !== undefined,
    hasTitle: title !== undefined,
    bytes,
  };
  return JSON.stringify(meta);
}

function hex(value: number): string {
  return value.toString(16).padStart(WIDTH, "0");
}

export function readRecord(bytes: Buffer, from: number): RecordAt {
  const start = from + LINE_BYTES;
  if (bytes.length < start) return "unfinished";
  const line = LINE.exec(bytes.toString("latin1", from, start));
  if (!line) return "damaged";
  const end = start + Number.parseInt(line[1]!, 16);
  if (bytes.length < end) return "unfinished";
  if (crc32(bytes.subarray(start, end)) !== Number.parseInt(line[2]!, 16)) return "damaged";
  const meta = readMeta(bytes.toString("utf8", end - Number.parseInt(line[3]!, 16), end));
  if (meta?.v !== VERSION) return "damaged";
  let at = start;
  const texts = meta.bytes.map((length) => {
    at += length;
    return bytes.subarray(at - length, at);
  });
  const head = meta.hasHead ? texts.shift() : undefined;
  const title = meta.hasTitle ? texts.shift() : undefined;
  const { tenant, id, position, rest, messages } = meta;
  return { tenant, id, position, rest, messages, head, title, wires: texts, end };
}

/** What a damaged line points to needn't be JSON. */
function readMeta(text: string): Meta | undefined {
  try {
    return JSON.parse(text) as Meta;
  } catch {
    return undefined;
  }
}

/** The append that a record was made of. */
export function callOf({ tenant, id, rest, messages, head, title, wires }: ReadRecord): AppendCall {
  const input: Append = {
    ...rest,
    ...(head !== undefined && { head: head.toString() }),
    ...(title !== undefined && { title: title.toString() }),
    messages: messages.map((message, index) => ({ ...message, wire: wires[index]!.toString() })),
  };
  return { tenant, id, input };
}
