import { isUtf8 } from "node:buffer";
import { once } from "node:events";
import { parentPort, Worker, workerData } from "node:worker_threads";
import { isJson, type Json } from "../../apis/shared/fields.ts";
import { parseMarked, withNumbers } from "../../core/json.ts";
import { RequestFault } from "./request-fault.ts";

/** The built package has no `.ts`. */
const FILE = import.meta.url.endsWith(".ts") ? "./body-thread.ts" : "./body-thread.js";
/** About so much of a list is handed over at once: whoever gets it makes it anew, which takes as long as to parse it (bytes). */
const PIECE_BYTES = 2 * 1024 * 1024;

/** What is nested too deep is to fail in the thread, whose stack is smaller than that of the one that gets it (megabytes). */
const STACK_MB = 0.5;

/** What the thread is started with. */
interface Task {
  readonly body: ArrayBuffer;
}

/** What it answers first: the body with empty lists. Their items come after, a piece each time that it is asked. */
type Answer =
  | { readonly fault: Pick<RequestFault, "status" | "code" | "message"> }
  | { readonly fields: Json; readonly numbers: readonly string[]; readonly pieces: number };

/** Some items of a list that is a field of the body. */
interface Piece {
  readonly name: string;
  readonly items: readonly unknown[];
}

/** One body at a time: each takes several times its size in memory. */
let last: Promise<unknown> = Promise.resolve();

/** Parses a large body whole, in a thread of its own: a parser can't be interrupted, and takes up to half a second for 60 MB. */
export function parseInThread(bytes: Buffer): Promise<Json> {
  const parsed = last.then(() => handedOver(bytes));
  last = parsed.catch(() => undefined);
  return parsed;
}

async function handedOver(bytes: Buffer): Promise<Json> {
  const body = new Uint8Array(bytes).buffer;
  const parse: Task = { body };
  const thread = new Worker(new URL(FILE, import.meta.url), {
    workerData: { parse },
    transferList: [body],
    execArgv: [],
    resourceLimits: { stackSizeMb: STACK_MB },
  });
  try {
    const [answer] = (await once(thread, "message")) as [Answer];
    if ("fault" in answer)
      throw new RequestFault(answer.fault.status, answer.fault.code, answer.fault.message);
    const { numbers, pieces } = answer;
    const fields = withNumbers(answer.fields, numbers) as Json;
    for (let piece = 0; piece < pieces; piece++) {
      thread.postMessage("next");
      const [{ name, items }] = (await once(thread, "message")) as [Piece];
      const list = fields[name] as unknown[];
      for (const item of withNumbers(items, numbers) as unknown[]) list.push(item);
    }
    return fields;
  } catch (error) {
    throw (error as Error).name === "RangeError" ? tooDeep() : error;
  } finally {
    void thread.terminate();
  }
}

/** Values of any depth can be parsed, but not handed from thread to thread. */
function tooDeep(): RequestFault {
  return new RequestFault(
    413,
    "too-many-values",
    "precis: the body is nested too deep for its size. Send less.",
  );
}

function piecesOf(value: Json, bytes: number): Piece[] {
  const pieces: Piece[] = [];
  for (const [name, field] of Object.entries(value)) {
    if (!Array.isArray(field)) continue;
    const size = Math.ceil((field.length * PIECE_BYTES) / bytes);
    for (let at = 0; at < field.length; at += size)
      pieces.push({ name, items: field.slice(at, at + size) as unknown[] });
  }
  return pieces;
}

/** A body as a JSON object, with marks in the place of numbers that a double can't hold: see `withNumbers`. */
export function parseObject(bytes: Buffer): { readonly value: Json; readonly numbers: readonly string[] } {
  checkValues(bytes);
  if (!isUtf8(bytes)) throw new RequestFault(400, "bad-utf8", "The body isn't valid UTF-8.");
  let parsed: ReturnType<typeof parseMarked>;
  try {
    parsed = parseMarked(bytes.toString("utf8"));
  } catch (error) {
    throw new RequestFault(400, "bad-json", `The body isn't valid JSON: ${(error as Error).message}.`);
  }
  const { value, numbers } = parsed;
  if (!isJson(value)) throw new RequestFault(400, "bad-json", "The body isn't a JSON object.");
  return { value, numbers };
}

/** Fields and list items of one body, in all: as many are parsed within a tenth of a second. */
const MAX_VALUES = 500_000;
/** Bodies up to here can't hold so many values that anybody would notice (bytes). */
const SMALL_BYTES = 64 * 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const ZERO = 0x30;
const NINE = 0x39;
/** `[` and `{`, and what closes them, differ from each other in one bit that isn't looked at. */
const OTHER_BRACKET = 0x20;
const OPEN = 0x5b;
const CLOSE = 0x5d;
/** Numbers with more digits may not fit a double: each is looked at by itself, which costs as much as so many values. */
const LONG_NUMBER = 15;
const LONG_NUMBER_VALUES = 50;
/** What is nested deeper than this is read and written without a stack, which takes as long as so many values for each level. */
const DEEP = 5_000;
const DEEP_VALUES = 20;
/** Strings are mostly either shorter than this or much longer; a native search pays only for the latter (bytes). */
const SHORT_STRING = 24;

/**
 * Refuses a body with more values than the limit before it is parsed: 60 MB of `1,1,1` would take seconds and a gigabyte. To parse it
 * in a thread with a limit on its memory is no way out: 60 MB of `[],` end the whole process there, whatever the limit is.
 */
export function checkValues(bytes: Buffer, limit = MAX_VALUES): void {
  if (bytes.length <= SMALL_BYTES) return;
  let values = 0;
  let depth = 0;
  for (let at = 0; at < bytes.length && values <= limit; at++) {
    const byte = bytes[at]!;
    const bracket = byte & ~OTHER_BRACKET;
    if (byte === QUOTE) at = endOfString(bytes, at + 1);
    else if (byte === COMMA || byte === COLON) values++;
    else if (bracket === OPEN) values += ++depth > DEEP ? DEEP_VALUES : 1;
    else if (bracket === CLOSE) depth--;
    else if (byte >= ZERO && byte <= NINE) {
      const start = at;
      while (bytes[at + 1]! >= ZERO && bytes[at + 1]! <= NINE) at++;
      if (at - start >= LONG_NUMBER) values += LONG_NUMBER_VALUES;
    }
  }
  if (values > limit)
    throw new RequestFault(
      413,
      "too-many-values",
      `precis: the body has more than ${limit} values, or is nested too deep. Send less.`,
    );
}

/** The quote that ends a string, or the end of the bytes. */
function endOfString(bytes: Buffer, start: number): number {
  for (let at = start; ; at++) {
    const near = Math.min(bytes.length, at + SHORT_STRING);
    while (at < near && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
    if (at < near) return at;
    const quote = bytes.indexOf(QUOTE, at);
    if (quote < 0) return bytes.length;
    // Of the backslashes before it, those belong together two and two that stand behind what was looked at one by one.
    let first = quote;
    while (first > at && bytes[first - 1] === BACKSLASH) first--;
    if ((quote - first) % 2 === 0) return quote;
    at = quote;
  }
}

// Last, because it runs at once and needs all that stands above.
const task = (workerData as { readonly parse?: Task } | null)?.parse;
if (parentPort && task) {
  const port = parentPort;
  try {
    const { value, numbers } = parseObject(Buffer.from(task.body));
    const pieces = piecesOf(value, task.body.byteLength);
    const fields = Object.fromEntries(
      Object.entries(value).map(([name, field]) => [name, Array.isArray(field) ? [] : field]),
    );
    port.postMessage({ fields, numbers, pieces: pieces.length } satisfies Answer);
    let next = 0;
    port.on("message", () => port.postMessage(pieces[next++]));
  } catch (error) {
    if (!(error instanceof RequestFault)) throw error;
    const { status, code, message } = error;
    port.postMessage({ fault: { status, code, message } } satisfies Answer);
  }
}
