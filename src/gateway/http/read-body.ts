import type { IncomingMessage } from "node:http";
import { setImmediate as breathe } from "node:timers/promises";
import type { Json } from "../../apis/shared/fields.ts";
import { withNumbers } from "../../core/exact-json.ts";
import { parseInThread, parseObject } from "./body-thread.ts";
import { areUnpackable, codings, codingsIn, isCoding, UnpacksToMore, unpack } from "./codings.ts";
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

/** The bytes of a request, as they came. */
export function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  const declared = Number(request.headers["content-length"]);
  if (declared > limit) return Promise.reject(tooLarge(limit));
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let size = 0;
    request.on("data", (piece: Buffer) => {
      size += piece.length;
      if (size > limit) {
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
  limit: number,
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
      decoded = await unpack(decoded, name, { most: limit, isLenient: false });
    } catch (error) {
      if (error instanceof UnpacksToMore) throw tooLarge(limit);
      throw new RequestFault(400, "bad-encoding", `The body isn't valid ${name}.`);
    }
  }
  return decoded;
}

function tooLarge(limit: number): RequestFault {
  return new RequestFault(
    413,
    "too-large",
    `The body is larger than ${limit} bytes. Send less, or raise limits.bodyBytes.`,
  );
}

/** Larger bodies are parsed in a thread. For smaller ones that takes longer than to parse them, which is at most 40 ms (bytes). */
export const LARGE_BYTES = 4 * 1024 * 1024;

/** A body as a JSON object. One with too many values is refused. */
export function parseBody(bytes: Buffer): Json | Promise<Json> {
  if (bytes.length > LARGE_BYTES) return parseInThread(bytes);
  const { value, numbers } = parseObject(bytes);
  return withNumbers(value, numbers) as Json;
}
