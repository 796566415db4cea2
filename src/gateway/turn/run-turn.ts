import { parseJson } from "../../apis/shared/fields.ts";
import { holdsMedia } from "../../core/message-text.ts";
import { type Overflow, overflowOf } from "../../models/index.ts";
import type { Answer } from "../upstream/answer.ts";
import { answerText } from "../upstream/decode-answer.ts";
import { unpackStream } from "../upstream/unpack-stream.ts";
import { redirected } from "../upstream/upstream-fault.ts";
import { countFirst } from "./count-first.ts";
import { BAD_REQUEST, isStream, peek, readRest, saysTooLong } from "./peek.ts";
import { sendOn } from "./send-on.ts";
import { detailsOf, fieldsOf } from "./sent-request.ts";
import { MOST_RETRIES, type Shrink, smallerOf } from "./shrink.ts";
import type { Outgoing, Turn, TurnParts } from "./turn.ts";

/** What an upstream answered, as far as it was read. */
export interface Attempt {
  readonly outgoing: Outgoing;
  readonly answer: Answer;
  readonly status: number;
  /** The whole body, if it is an error. */
  readonly failed: { readonly bytes: Buffer; readonly text: string } | undefined;
  /** All of an answer in one piece, or the first bytes of a stream that had to be looked at. */
  readonly read: Buffer | undefined;
  /** An answer in one piece as JSON, if it is. */
  readonly data?: unknown;
  /** An answer in one piece that is too long to be read: `read` is its beginning, and the rest is still to come. */
  readonly isUnread?: boolean;
}

/** Sends the request of a turn, smaller ones where the upstream refuses it as too long, and resolves with the answer. */
export async function runTurn(
  parts: TurnParts,
  turn: Turn,
  outgoing: Outgoing,
  /** Undefined where the request must be sent as it came. */
  shrink: Shrink | undefined,
): Promise<Attempt> {
  turn.recording?.begin();
  const isCounted = shrink !== undefined && turn.upstream.config.count === "provider";
  const sent = isCounted ? await countFirst(parts, turn, outgoing, shrink) : outgoing;
  const first = await attempt(parts, turn, sent);
  if (turn.recording) turn.recording.known.lastRequestAt = turn.startedAt;
  return first.failed && shrink ? retryTooLong(parts, turn, first, shrink) : first;
}

async function attempt(
  { config }: Pick<TurnParts, "config">,
  turn: Turn,
  outgoing: Outgoing,
): Promise<Attempt> {
  const { answerBytes } = config.limits;
  const { path, asked, signal } = turn;
  const { body, isOurs } = outgoing;
  turn.told.sends(
    outgoing,
    () => fieldsOf(turn, outgoing),
    () => detailsOf(turn, outgoing),
  );
  const given = await sendOn(turn, { path, body, isOurs, streamed: asked.streamed, signal });
  turn.told.answers();
  const answer = isStream(given, turn) ? unpackStream(given, turn.upstream.config.timeoutMs) : given;
  const status = answer.statusCode;
  if (isRedirect(status)) {
    answer.drop();
    throw redirected(turn.upstream, answer.headers.location);
  }
  if (status < 400 && isStream(answer, turn)) {
    const peeked = await peek(answer, turn, outgoing);
    if (!peeked?.isTooLong) return { outgoing, answer, status, failed: undefined, read: peeked?.bytes };
    const failed = await readRest(answer, peeked.bytes, answerBytes);
    return { outgoing, answer, status: BAD_REQUEST, failed, read: undefined };
  }
  const { bytes, isWhole } = await answer.whole(answerBytes);
  if (!isWhole) return { outgoing, answer, status, failed: undefined, read: bytes, isUnread: true };
  const text = await answerText(answer, bytes, answerBytes);
  const data = status < 400 ? parseJson(text) : undefined;
  const isTooLong = status < 400 && saysTooLong(data);
  if (status < 400 && !isTooLong) return { outgoing, answer, status, failed: undefined, read: bytes, data };
  const failed = { bytes, text };
  return { outgoing, answer, status: isTooLong ? BAD_REQUEST : status, failed, read: undefined };
}

const isRedirect = (status: number): boolean => status >= 300 && status < 400;

/** "Too long" from the upstream: compacted harder and tried again until it fits. */
async function retryTooLong(parts: TurnParts, turn: Turn, first: Attempt, shrink: Shrink): Promise<Attempt> {
  let last = first;
  for (let tries = 0; tries < MOST_RETRIES; tries++) {
    const { failed, status, outgoing } = last;
    const overflow = failed && overflowOf(status, failed.text);
    if (!overflow) break;
    noteRejected(parts, turn, overflow, outgoing.report);
    const smaller = await smallerOf(parts, outgoing, shrink, overflow);
    if (!smaller) {
      turn.told.happened({ type: "retried", result: "impossible" });
      break;
    }
    last = await attempt(parts, turn, smaller);
    turn.told.happened({ type: "retried", result: last.failed ? "failed" : "fitted" });
  }
  return last;
}

function noteRejected(
  parts: Pick<TurnParts, "windows">,
  { upstream, asked, client, wire, told }: Turn,
  { tokens, limit, bytes }: Overflow,
  refused: Outgoing["report"],
): void {
  // Where no number is named, the window is smaller than what was refused, by our own count: that of texts.
  const isText = !bytes && !asked.transcript.some((message) => holdsMedia(wire.dialect.read(message)));
  const below = refused && isText ? refused.tokens.after + refused.budget.tools : undefined;
  const learned = parts.windows.learn(upstream, asked.model, client.tenant, { limit, below });
  told.happened({ type: "rejected", tokens, limit, learned });
}
