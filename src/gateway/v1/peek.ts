import type { IncomingMessage } from "node:http";
import { overflowOf } from "../../models/index.ts";
import { answerText } from "../upstream/decode-answer.ts";
import { readAll } from "../upstream/read-all.ts";
import { isJson } from "../wires/json.ts";
import { readEvents } from "../wires/read-events.ts";
import type { Exchange, Outgoing } from "./exchange.ts";

export function isStream(answer: IncomingMessage): boolean {
  return /^text\/event-stream/i.test(answer.headers["content-type"] ?? "");
}

/** Above this pressure an upstream may say "too long" inside of a stream that began well. */
const PEEK_FROM = 0.6;

/** The first bytes of a stream that might say that the request is too long. */
export async function peek(
  answer: IncomingMessage,
  { report }: Outgoing,
): Promise<{ readonly bytes: Buffer; readonly isTooLong: boolean } | undefined> {
  if (!isStream(answer) || !report || report.pressure.after < PEEK_FROM) return undefined;
  const bytes = await new Promise<Buffer>((resolve) => {
    const none = () => resolve(Buffer.alloc(0));
    answer.once("end", none);
    answer.once("close", none);
    answer.once("data", (piece: Buffer) => {
      // Whoever reads on resumes it.
      answer.pause();
      answer.off("end", none).off("close", none);
      resolve(piece);
    });
  });
  const text = bytes.includes('"error"') ? answerText(answer, bytes) : "";
  const data = readEvents(text).find((event) => event["error"] != null || isJson(event["response"]));
  return { bytes, isTooLong: data !== undefined && overflowOf(BAD_REQUEST, data) !== undefined };
}

/** What an error inside of a stream would have been as a status. */
export const BAD_REQUEST = 400;

/** All of an answer of which the first bytes were read. */
export async function readRest(answer: IncomingMessage, { upstream }: Exchange, first: Buffer) {
  const bytes = Buffer.concat([first, await readAll(answer, upstream.name)]);
  return { bytes, text: answerText(answer, bytes) };
}
