import { overflowOf } from "../../models/index.ts";
import type { Gateway } from "../gateway.ts";
import { dropBetas } from "../wires/drop-betas.ts";
import { prepareNative } from "./prepare-native.ts";
import type { Answer } from "../upstream/answer.ts";
import { answerText, askReadable } from "../upstream/decode-answer.ts";
import { readAll } from "../upstream/read-all.ts";
import { send } from "../upstream/send.ts";
import { targetPath } from "../upstream/target-path.ts";
import { upstreamHeaders } from "../upstream/upstream-headers.ts";
import { parseJson } from "../http/json.ts";
import { compactHarder } from "../turn/compact-harder.ts";
import { decideAtOnce, decideView } from "../turn/decide-view.ts";
import type { Exchange, Outgoing } from "./exchange.ts";
import { passFailure, passJson, passStream } from "./pass-answer.ts";
import { BAD_REQUEST, isStream, peek, readRest, saysTooLong } from "../turn/peek.ts";
import { actionOf } from "./report-headers.ts";

/** What an upstream answered, as far as it was read. */
interface Attempt {
  readonly outgoing: Outgoing;
  readonly answer: Answer;
  readonly status: number;
  /** The whole body, if it is an error. */
  readonly failed: { readonly bytes: Buffer; readonly text: string } | undefined;
  /** All of an answer in one piece, or the first bytes of a stream that had to be looked at. */
  readonly read: Buffer | undefined;
  /** An answer in one piece as JSON, if it is. */
  readonly data?: unknown;
}

/** Sends a request on and its answer back. */
export async function generate(
  gateway: Gateway,
  given: Exchange,
): Promise<Pick<Outgoing, "action" | "report">> {
  const prepared = prepareNative(gateway, given);
  const exchange = prepared instanceof Promise ? await prepared : prepared;
  if (!exchange) return { action: "compacted", report: undefined };
  const view = decideAtOnce(gateway, exchange) ?? (await decideView(gateway, exchange));
  gateway.metrics.ownSeconds.observe((performance.now() - exchange.arrivedAt) / 1_000);
  exchange.recording?.begin();
  const first = await attempt(exchange, view);
  if (exchange.recording) exchange.recording.known.lastRequestAt = exchange.startedAt;
  const done = first.failed ? await retryTooLong(gateway, exchange, first) : first;
  const { outgoing, answer, failed } = done;
  if (failed) await passFailure(gateway, exchange, outgoing, answer, failed.bytes);
  else if (isStream(answer)) await passStream(gateway, exchange, outgoing, answer, done.read);
  else await passJson(gateway, exchange, outgoing, answer, done.read ?? Buffer.alloc(0), done.data);
  return { report: outgoing.report, action: actionOf(exchange, outgoing.action) };
}

async function attempt(exchange: Exchange, outgoing: Outgoing): Promise<Attempt> {
  const answer = await sendOn(exchange, outgoing);
  const status = answer.statusCode;
  const begun = { outgoing, answer, failed: undefined };
  if (status < 400 && isStream(answer)) {
    const peeked = await peek(answer, exchange, outgoing);
    if (!peeked?.isTooLong) return { ...begun, status, read: peeked?.bytes };
    const failed = await readRest(answer, peeked.bytes);
    return { ...begun, status: BAD_REQUEST, failed, read: undefined };
  }
  const bytes = await readAll(answer);
  const text = answerText(answer, bytes);
  const data = status < 400 ? parseJson(text) : undefined;
  const isTooLong = status < 400 && saysTooLong(data);
  if (status < 400 && !isTooLong) return { ...begun, status, read: bytes, data };
  const failed = { bytes, text };
  return { ...begun, status: isTooLong ? BAD_REQUEST : status, failed, read: undefined };
}

/** So often a request is made smaller at most. */
const MOST_RETRIES = 4;

/** "Too long" from the upstream: compacted harder and tried again until it fits. */
async function retryTooLong(gateway: Gateway, exchange: Exchange, first: Attempt): Promise<Attempt> {
  let last = first;
  for (let tries = 0; tries < MOST_RETRIES; tries++) {
    const { failed, status, outgoing } = last;
    if (!failed || exchange.options.off || gateway.config.observe) break;
    const overflow = overflowOf(status, failed.text);
    if (!overflow) break;
    const smaller = await compactHarder(gateway, exchange, overflow, outgoing.report);
    // A lower cap alone may be as many bytes.
    if (!smaller || smaller.body.length > outgoing.body.length || smaller.body.equals(outgoing.body)) {
      gateway.metrics.rejected.inc({ result: "impossible" });
      break;
    }
    last = await attempt(exchange, smaller);
    gateway.metrics.rejected.inc({ result: last.failed ? "failed" : "fitted" });
  }
  return last;
}

function sendOn(exchange: Exchange, outgoing: Outgoing): Promise<Answer> {
  const { upstream, request, client, path, signal } = exchange;
  const headers = upstreamHeaders(upstream, request.headers, path, outgoing.body.length, client.keyIsOurs);
  if (outgoing.isOurs) delete headers["content-encoding"];
  if (exchange.isEmulated) dropBetas(headers);
  askReadable(headers, exchange.asked.streamed);
  return send({
    upstream,
    method: "POST",
    path: targetPath(upstream, path),
    headers,
    body: outgoing.body,
    signal,
  });
}
