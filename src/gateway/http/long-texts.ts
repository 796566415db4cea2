import { randomUUID } from "node:crypto";
import { setImmediate as breathe } from "node:timers/promises";
import type { Json } from "../../apis/shared/fields.ts";
import { replaceTexts } from "../../core/replace-texts.ts";

/** Where the characters of a JSON string stand in a body, without its quotes (bytes). */
export interface TextPlace {
  readonly start: number;
  readonly end: number;
}

/** Longer texts of a body are parsed by themselves, piece by piece (bytes). */
export const LONG_TEXT_BYTES = 2 * 1024 * 1024;
/** How much of a text is parsed before others have their turn (bytes). */
const SLICE_BYTES = 512 * 1024;
/** Bytes of the longest escape, `\u0041`. */
const ESCAPE_BYTES = 6;
const BACKSLASH = 0x5c;

/**
 * JSON whose long texts are parsed piece by piece: a parser can't be interrupted, and takes seconds for 60 MB of escapes.
 * `parse` gets the rest, with a mark in the place of each. Throws what it throws, and a `SyntaxError` for a text that isn't JSON.
 */
export async function parseAroundTexts(
  bytes: Buffer,
  places: readonly TextPlace[],
  parse: (rest: Buffer) => Promise<Json>,
): Promise<Json> {
  // Nobody can foresee it, so nobody can write a text that passes for a mark.
  const mark = `precis text ${randomUUID()} `;
  const pieces: Buffer[] = [];
  let from = 0;
  for (const [index, { start, end }] of places.entries()) {
    pieces.push(bytes.subarray(from, start), Buffer.from(`${mark}${index}`));
    from = end;
  }
  pieces.push(bytes.subarray(from));
  const json = await parse(Buffer.concat(pieces));
  const texts: string[] = [];
  for (const place of places) texts.push(await textAt(bytes, place));
  replaceTexts(json, (one) => (one.startsWith(mark) ? texts[Number(one.slice(mark.length))] : undefined));
  return json;
}

async function textAt(bytes: Buffer, { start, end }: TextPlace): Promise<string> {
  const pieces: string[] = [];
  for (let from = start; from < end; ) {
    const to = end - from > SLICE_BYTES ? cutBefore(bytes, from, from + SLICE_BYTES) : end;
    pieces.push(parsePiece(bytes, from, to));
    from = to;
    await breathe();
  }
  return pieces.join("");
}

/** What is wrong with a piece is told with the place that it has in the body. */
function parsePiece(bytes: Buffer, from: number, to: number): string {
  try {
    return JSON.parse(`"${bytes.toString("utf8", from, to)}"`) as string;
  } catch (error) {
    const [what] = (error as Error).message.split(" at position ");
    throw new SyntaxError(`${what} between bytes ${from} and ${to}`, { cause: error });
  }
}

/** The place, or a little before it where it would cut a character or an escape in two. */
function cutBefore(bytes: Buffer, from: number, at: number): number {
  let cut = at;
  while ((bytes[cut]! & 0xc0) === 0x80) cut--;
  for (let back = 1; back < ESCAPE_BYTES; back++) {
    if (bytes[cut - back] !== BACKSLASH) continue;
    // Of a run of backslashes, two and two belong together: the last one begins an escape if their number is odd.
    let first = cut - back;
    while (first > from && bytes[first - 1] === BACKSLASH) first--;
    const isOdd = (cut - back - first) % 2 === 0;
    return isOdd ? cut - back : cut;
  }
  return cut;
}
