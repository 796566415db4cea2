import type { IncomingMessage } from "node:http";
import type { Transform } from "node:stream";
import { setImmediate as breathe } from "node:timers/promises";
import zlib from "node:zlib";
import type { Json } from "../../apis/shared/fields.ts";
import { withNumbers } from "../../core/json.ts";
import { parseInThread, parseObject } from "./body-thread.ts";
import { RequestFault } from "./request-fault.ts";

/** How much of a body is copied before others have their turn (bytes). */
const JOINED_AT_ONCE = 4 * 1024 * 1024;

function join(pieces: readonly Buffer[], size: number): Buffer {
  return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces, size);
}

/** `join` piece by piece: tens of megabytes are new to the process, and each page of them takes its time. */
export async function joinInTurns(pieces: readonly Buffer[], size: number): Promise<Buffer> {
  const joined = Buffer.allocUnsafeSlow(size);
  let at = 0;
  let next = JOINED_AT_ONCE;
  for (const piece of pieces) {
    at += piece.copy(joined, at);
    if (at < next) continue;
    await breathe();
    next = at + JOINED_AT_ONCE;
  }
  return joined;
}

/** How large a body may be. */
export interface BodyLimit {
  readonly bodyBytes: number;
  /** What to do about a larger one, where it isn't the limit of the config. */
  readonly fix?: string;
}

/** The bytes of a request, as they came. */
export function readBody(request: IncomingMessage, limit: BodyLimit): Promise<Buffer> {
  const { bodyBytes } = limit;
  const declared = Number(request.headers["content-length"]);
  if (declared > bodyBytes) return Promise.reject(tooLarge(limit));
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let size = 0;
    request.on("data", (piece: Buffer) => {
      size += piece.length;
      if (size > bodyBytes) {
        request.pause();
        reject(tooLarge(limit));
      } else pieces.push(piece);
    });
    request.on("end", () => resolve(size > JOINED_AT_ONCE ? joinInTurns(pieces, size) : join(pieces, size)));
    request.on("error", (error) => reject(error));
    request.on("close", () => {
      if (!request.complete) reject(new RequestFault(400, "aborted", "The request was broken off."));
    });
  });
}

/** The same bytes without their compression. What unpacks to more than the limit is refused. */
export async function decodeBody(
  bytes: Buffer,
  encoding: string | undefined,
  limit: BodyLimit,
): Promise<Buffer> {
  let decoded = bytes;
  const names = codingsIn(encoding);
  if (!areUnpackable(names)) {
    const unknown = names.find((name) => !isCoding(name));
    throw new RequestFault(
      415,
      "unsupported-encoding",
      `${unknown === undefined ? "A body that is packed so often" : `The content-encoding ${JSON.stringify(unknown)}`} isn't supported. Use ${codings.join(", ")} or none.`,
    );
  }
  for (const name of names) {
    try {
      decoded = await unpack(decoded, name, { most: limit.bodyBytes, isLenient: false });
    } catch (error) {
      if (error instanceof UnpacksToMore) throw tooLarge(limit);
      throw new RequestFault(400, "bad-encoding", `The body isn't valid ${name}.`);
    }
  }
  return decoded;
}

function tooLarge({ bodyBytes, fix = "Send less, or raise limits.bodyBytes." }: BodyLimit): RequestFault {
  return new RequestFault(413, "too-large", `The body is larger than ${bodyBytes} bytes.`, { fix });
}

/**
 * Larger bodies are parsed in a thread (bytes). To start one and to take over what it parsed keeps the main thread as busy as to parse
 * smaller ones: 9 ms against 9 for 1 MB of messages of 100 characters, 16 against 15 for 2 MB, 29 against 34 for 4 MB; of one long text
 * 2 against 1, 3 against 4, 2 against 8.
 */
export const LARGE_BYTES = 4 * 1024 * 1024;

/** A body as a JSON object. One with too many values is refused. */
export function parseBody(bytes: Buffer): Json | Promise<Json> {
  if (bytes.length > LARGE_BYTES) return parseInThread(bytes);
  const { value, numbers } = parseObject(bytes);
  return withNumbers(value, numbers) as Json;
}

/** The body of a request as a JSON object, and how long its text is (bytes); an empty one without fields where there is none. */
export async function readJson(
  request: IncomingMessage,
  limit: BodyLimit,
): Promise<{ readonly body: Json; readonly received: Buffer; readonly length: number }> {
  const received = await readBody(request, limit);
  const plain = await decodeBody(received, request.headers["content-encoding"], limit);
  return { body: plain.length === 0 ? {} : await parseBody(plain), received, length: plain.length };
}

/** How much is unpacked at once (bytes). */
const CHUNK_BYTES = 64 * 1024;

interface UnpackOptions {
  /** Is what comes before an end that is missing better than nothing? */
  readonly isLenient: boolean;
}

const unzip = ({ isLenient }: UnpackOptions): zlib.ZlibOptions => ({
  chunkSize: CHUNK_BYTES,
  ...(isLenient && { finishFlush: zlib.constants.Z_SYNC_FLUSH }),
});

/** What a `content-encoding` may name, and what unpacks it. */
const CODINGS: Readonly<Record<string, (options: UnpackOptions) => Transform>> = {
  gzip: (options) => zlib.createGunzip(unzip(options)),
  "x-gzip": (options) => zlib.createGunzip(unzip(options)),
  deflate: (options) => zlib.createInflate(unzip(options)),
  br: () => zlib.createBrotliDecompress({ chunkSize: CHUNK_BYTES }),
  // Not in every version of Node that precis runs on.
  ...("createZstdDecompress" in zlib && {
    zstd: () => zlib.createZstdDecompress({ chunkSize: CHUNK_BYTES }),
  }),
};

/** The codings that can be unpacked. */
const codings: readonly string[] = Object.keys(CODINGS);

/** So many codings on top of each other are taken off. A header has room for thousands, and each holds memory of its own. */
const MOST_CODINGS = 4;

/** Can all of these be taken off? */
export const areUnpackable = (names: readonly string[]): boolean =>
  names.length <= MOST_CODINGS && names.every(isCoding);

export const isCoding = (name: string): boolean => Object.hasOwn(CODINGS, name);

const PLAIN: readonly string[] = [];

/** The codings that a `content-encoding` names, in the order in which they are taken off. Empty: it is plain. */
export function codingsIn(encoding: string | undefined): readonly string[] {
  if (encoding === undefined) return PLAIN;
  const names = encoding.split(",").map((one) => one.trim().toLowerCase());
  return names.filter((name) => name !== "" && name !== "identity").reverse();
}

/** What unpacks one of `codings`. */
export function createUnpacker(coding: string, options: UnpackOptions): Transform {
  return CODINGS[coding]!(options);
}

/** What was packed is larger than it may be. */
class UnpacksToMore extends Error {}

/** The bytes without one of `codings`. Throws if they hold more than `most`, or aren't packed so. */
export async function unpack(
  bytes: Buffer,
  coding: string,
  { most, ...options }: UnpackOptions & { readonly most: number },
): Promise<Buffer> {
  const unpacker = createUnpacker(coding, options);
  const pieces: Buffer[] = [];
  let size = 0;
  unpacker.end(bytes);
  for await (const piece of unpacker as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > most) throw new UnpacksToMore(`it unpacks to more than ${most} bytes`);
    pieces.push(piece);
  }
  return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces, size);
}
