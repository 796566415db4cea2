import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { setImmediate as breathe } from "node:timers/promises";
import { isJson, type Json } from "../../apis/shared/fields.ts";
import { parseExact } from "../../core/exact-json.ts";
import { checkValues } from "./check-values.ts";
import { areUnpackable, codings, codingsIn, isCoding, UnpacksToMore, unpack } from "./codings.ts";
import { parseAroundTexts, type TextPlace } from "./long-texts.ts";
import { parseAroundList } from "./parse-list.ts";
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

/** A body as a JSON object. What takes long is done piece by piece, and a body with too many values is refused. */
export async function parseBody(bytes: Buffer): Promise<Json> {
  return parseChecked(bytes, await checkValues(bytes));
}

/** What is larger is parsed piece by piece (bytes). */
const AT_ONCE_BYTES = 4 * 1024 * 1024;

/** Would parsing a body whose values were counted keep others waiting? `longTexts` is what `checkValues` found. */
export function isLongBody(bytes: Buffer, longTexts: readonly TextPlace[] = []): boolean {
  return longTexts.length > 0 || bytes.length > AT_ONCE_BYTES;
}

/** Parses a body whose values were counted, piece by piece if it is long. */
export async function parseChecked(bytes: Buffer, longTexts: readonly TextPlace[] = []): Promise<Json> {
  if (!isLongBody(bytes, longTexts)) return parseObject(bytes);
  checkUtf8(bytes);
  const parse = async (rest: Buffer) =>
    (rest.length > AT_ONCE_BYTES ? await parseAroundList(rest) : undefined) ?? parseObject(rest);
  try {
    return await (longTexts.length > 0 ? parseAroundTexts(bytes, longTexts, parse) : parse(bytes));
  } catch (error) {
    throw error instanceof SyntaxError ? notJson(error) : error;
  }
}

export function parseObject(bytes: Buffer): Json {
  checkUtf8(bytes);
  let value: unknown;
  try {
    value = parseExact(bytes.toString("utf8"));
  } catch (error) {
    throw notJson(error as Error);
  }
  if (!isJson(value)) throw new RequestFault(400, "bad-json", "The body isn't a JSON object.");
  return value;
}

function checkUtf8(bytes: Buffer): void {
  if (!isUtf8(bytes)) throw new RequestFault(400, "bad-utf8", "The body isn't valid UTF-8.");
}

function notJson({ message }: Error): RequestFault {
  return new RequestFault(400, "bad-json", `The body isn't valid JSON: ${message}.`);
}
