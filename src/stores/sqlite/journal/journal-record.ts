import { crc32 } from "node:zlib";
import type { Append, NewMessage } from "../../server-store.ts";
import type { AppendCall } from "../../sql/sql-engine.ts";

/** One append as a journal holds it. */
export interface JournalRecord {
  readonly call: AppendCall;
  /** How long its conversation was, as far as the writer knew: where its messages belong. */
  readonly position: number;
}

/** A record that was read, and where the next one begins. */
export interface ReadRecord extends JournalRecord {
  readonly end: number;
}

/** What stands at an offset: a record, the beginning of one (or nothing), or something else. */
export type RecordAt = ReadRecord | "unfinished" | "damaged";

/** A record without its texts, which follow in the order of `chars`: head (if there is one), then the messages. */
interface Meta {
  readonly v: 1;
  readonly tenant: string;
  readonly id: string;
  readonly position: number;
  readonly input: Omit<Append, "head" | "messages"> & {
    readonly messages: readonly Omit<NewMessage, "wire">[];
  };
  readonly hasHead: boolean;
  readonly chars: readonly number[];
}

const NEWLINE = 0x0a;
/** `bytes crc`, both of fixed width, and the end of the line. */
const LINE_BYTES = 20;
const WIDTH = 8;
const LINE = /^([0-9a-f]{8}) ([0-9a-f]{8}) {2}\n$/;

/** A character has at most three bytes. */
const BYTES_PER_CHARACTER = 3;
/** What is kept for the next records (bytes). */
const KEPT_BYTES = 1_024 * 1_024;
let scratch = Buffer.alloc(0);

/**
 * Of each record a line with the number of bytes and their checksum; then the call as a line of JSON; then its texts as they
 * are, because to quote them once more would be most of the work. What it returns is overwritten by the next call.
 */
export function writeRecords(records: readonly JournalRecord[]): Buffer {
  const bodies = records.map(bodyOf);
  const most = bodies.reduce((sum, body) => sum + LINE_BYTES + body.length * BYTES_PER_CHARACTER, 0);
  const bytes = most <= scratch.length ? scratch : Buffer.allocUnsafe(Math.max(most, KEPT_BYTES));
  if (bytes.length <= KEPT_BYTES) scratch = bytes;
  let at = 0;
  for (const body of bodies) {
    const start = at + LINE_BYTES;
    const length = bytes.write(body, start);
    const sum = crc32(bytes.subarray(start, start + length));
    bytes.write(`${hex(length)} ${hex(sum)}  \n`, at, "latin1");
    at = start + length;
  }
  return bytes.subarray(0, at);
}

function bodyOf({ call, position }: JournalRecord): string {
  const { head, messages, ...rest } = call.input;
  const wires = messages.map(({ wire }) => wire);
  const texts = head === undefined ? wires : [head, ...wires];
  const meta: Meta = {
    v: 1,
    tenant: call.tenant,
    id: call.id,
    position,
    input: { ...rest, messages: messages.map(({ wire: _, ...message }) => message) },
    hasHead: head !== undefined,
    chars: texts.map((text) => text.length),
  };
  return `${JSON.stringify(meta)}\n${texts.join("")}`;
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
  const body = bytes.subarray(start, end);
  if (crc32(body) !== Number.parseInt(line[2]!, 16)) return "damaged";
  const split = body.indexOf(NEWLINE);
  const meta = JSON.parse(body.toString("utf8", 0, split)) as Meta;
  const text = body.toString("utf8", split + 1);
  let at = 0;
  const texts = meta.chars.map((length) => {
    const one = text.slice(at, at + length);
    at += length;
    return one;
  });
  const head = meta.hasHead ? texts.shift() : undefined;
  const { messages, ...rest } = meta.input;
  const input: Append = {
    ...rest,
    ...(head !== undefined && { head }),
    messages: messages.map((message, index) => ({ ...message, wire: texts[index]! })),
  };
  return { call: { tenant: meta.tenant, id: meta.id, input }, position: meta.position, end };
}
