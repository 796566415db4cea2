import { readEvents } from "../../apis/shared/events.ts";
import { isJson } from "../../apis/shared/fields.ts";
import { overflowOf } from "../../models/index.ts";
import type { Answer } from "../upstream/answer.ts";
import { answerText } from "../upstream/decode-answer.ts";
import type { Outgoing, Turn } from "./turn.ts";

/** Comes an answer in pieces: as events, or as a JSON list that a stream was asked for in? */
export function isStream(answer: Answer, { wire, asked }: Pick<Turn, "wire" | "asked">): boolean {
  if (hasEvents(answer)) return true;
  const isList = wire.streamsLists && asked.streamed;
  return isList === true && /^application\/json/i.test(answer.headers["content-type"] ?? "");
}

function hasEvents(answer: Answer): boolean {
  return /^text\/event-stream/i.test(answer.headers["content-type"] ?? "");
}

/** Above this pressure an upstream may say "too long" inside of a stream that began well. */
const PEEK_FROM = 0.6;
/** A request that is smaller isn't too long for any model, whatever its window is said to be (bytes). */
const PEEK_FROM_BYTES = 4_096;
/** An upstream that began its answer says "too long" within this time (milliseconds). */
const PEEK_MS = 1_500;
/** So much of an answer is looked at (bytes). Its first events may repeat the instructions and tools of the request. */
const MOST_PEEKED = 2 * 1024 * 1024;
/** Events that come before anything was decided. */
const OPENING: ReadonlySet<unknown> = new Set([
  "response.created",
  "response.in_progress",
  "response.queued",
  "message_start",
  "ping",
]);

/** The first bytes of a stream that might say that the request is too long. */
export async function peek(
  answer: Answer,
  { plain }: Pick<Turn, "plain">,
  { report }: Outgoing,
): Promise<{ readonly bytes: Buffer; readonly isTooLong: boolean } | undefined> {
  const isFull = report !== undefined && report.pressure.after >= PEEK_FROM;
  if (!hasEvents(answer) || (!isFull && plain.length < PEEK_FROM_BYTES)) return undefined;
  // Only where it is likely is it worth to let the client wait for the beginning of its answer.
  const first = await nextPiece(answer, isFull ? undefined : PEEK_MS);
  const until = performance.now() + PEEK_MS;
  const pieces: Buffer[] = [];
  const decoder = new TextDecoder();
  let unread = "";
  let size = 0;
  for (let piece = first; piece; ) {
    pieces.push(piece);
    size += piece.length;
    unread += decoder.decode(piece, { stream: true });
    // In the middle of an event there is nothing to read.
    const events =
      piece.includes("\n") || piece.includes("\r") || unread.endsWith("}") ? readEvents(unread) : [];
    const failed = events.find((event) => event["error"] != null || isFailed(event["response"]));
    if (failed) return peeked(pieces, overflowOf(BAD_REQUEST, failed) !== undefined);
    if (!events.every(saysNothing) || size > MOST_PEEKED) break;
    // What was read once isn't read again.
    if (events.length > 0)
      unread = unread.slice(Math.max(unread.lastIndexOf("\n"), unread.lastIndexOf("\r")) + 1);
    piece = await nextPiece(answer, until - performance.now());
  }
  return peeked(pieces, false);
}

const peeked = (pieces: readonly Buffer[], isTooLong: boolean) => ({
  bytes: Buffer.concat(pieces),
  isTooLong,
});

/** An event before the first word: by its type, or a chunk of Chat Completions that names only the role. */
function saysNothing(event: Readonly<Record<string, unknown>>): boolean {
  const { choices } = event;
  if (!Array.isArray(choices)) return OPENING.has(event["type"]);
  return choices.every((choice: unknown) => {
    if (!isJson(choice) || !isJson(choice["delta"]) || choice["finish_reason"]) return false;
    return Object.entries(choice["delta"]).every(([name, value]) => name === "role" || !value);
  });
}

function isFailed(response: unknown): boolean {
  return isJson(response) && response["error"] != null;
}

/** The next bytes of an answer; undefined if there are none in time. Whoever reads on gets the rest. */
function nextPiece(answer: Answer, ms?: number): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    if (ms !== undefined && ms <= 0) {
      resolve(undefined);
      return;
    }
    const settle = (piece?: Buffer): void => {
      clearTimeout(timer);
      answer.leave();
      resolve(piece);
    };
    const none = (): void => settle();
    const timer = ms === undefined ? undefined : setTimeout(none, ms);
    answer.read({ piece: settle, end: none, broken: none });
  });
}

/** What an error inside of a stream would have been as a status. */
export const BAD_REQUEST = 400;

/** Does an answer that began well say in its body that the request is too long? */
export function saysTooLong(data: unknown): boolean {
  return isJson(data) && data["error"] != null && overflowOf(BAD_REQUEST, data["error"]) !== undefined;
}

/** All of an answer of which the first bytes were read, or as much as is read of any. */
export async function readRest(answer: Answer, first: Buffer, most: number) {
  const rest = await answer.whole(most);
  if (!rest.isWhole) answer.drop();
  const bytes = Buffer.concat([first, rest.bytes]);
  return { bytes, text: await answerText(answer, bytes, most) };
}
