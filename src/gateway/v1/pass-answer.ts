import { stringifyDeep } from "../../core/deep-json.ts";
import type { Gateway } from "../gateway.ts";
import { describeFailure } from "./fail.ts";
import { returnedHeaders } from "../http/headers.ts";
import { loggable } from "../telemetry/log.ts";
import { type AnswerNote, answerRewriter, noteAnswer } from "../upstream/answer-rewriter.ts";
import { relayStream } from "../upstream/relay-stream.ts";
import type { Answer } from "../upstream/answer.ts";
import { answerText } from "../upstream/decode-answer.ts";
import { UpstreamFault } from "../upstream/upstream-fault.ts";
import { isJson } from "../http/json.ts";
import { readEvents } from "../wires/read-events.ts";
import { RequestFault } from "../http/request-fault.ts";
import type { Json, Wire, WireAnswer } from "../wires/wire.ts";
import { choiceOf } from "./choice-of.ts";
import type { Exchange, Outgoing } from "./exchange.ts";
import { guardLoops } from "../turn/loop-guard.ts";
import { recordAnswer, recordUnanswered } from "./record-answer.ts";
import { reportHeaders } from "./report-headers.ts";

const NO_ANSWER: WireAnswer = { messages: [], usage: undefined, id: undefined };

/** An error of the upstream, as it is. */
export async function passFailure(
  gateway: Gateway,
  exchange: Exchange,
  outgoing: Outgoing,
  answer: Answer,
  bytes: Buffer,
): Promise<void> {
  const { response } = exchange;
  await recordUnanswered(gateway, exchange);
  response.writeHead(answer.statusCode, {
    ...returnedHeaders(answer.headers, exchange.upstream),
    "content-length": bytes.length,
    ...reportHeaders(exchange, outgoing),
  });
  response.end(bytes);
}

/** A streamed answer, as it comes. */
export async function passStream(
  gateway: Gateway,
  exchange: Exchange,
  outgoing: Outgoing,
  answer: Answer,
  first: Buffer | undefined,
): Promise<void> {
  const { response, wire } = exchange;
  const note = noteOf(gateway, exchange, outgoing);
  const isPlain = (answer.headers["content-encoding"] ?? "identity") === "identity";
  const headers = returnedHeaders(answer.headers, exchange.upstream);
  const transforms = [
    ...(note ? [answerRewriter(wire, note)] : []),
    ...(exchange.announcement ? [exchange.announcement.stream()] : []),
  ];
  if (transforms.length > 0) delete headers["content-length"];
  response.writeHead(answer.statusCode, { ...headers, ...reportHeaders(exchange, outgoing) });
  const outcome = await relayStream({
    answer,
    response,
    first,
    endMarkers: isPlain ? wire.endMarkers : [],
    transform: transforms.length > 0 && isPlain ? inTurn(transforms) : undefined,
    farewell: (cause) => (isPlain ? brokenOff(gateway, exchange, cause) : undefined),
    commit: (bytes) =>
      finish(
        gateway,
        exchange,
        outgoing,
        bytes ? streamedAnswer(wire, answerText(answer, bytes)) : NO_ANSWER,
      ),
  });
  if (outcome === "broken") {
    await recordUnanswered(gateway, exchange);
    if (!exchange.signal.aborted && !response.writableEnded)
      throw new UpstreamFault("broken", exchange.upstream.name);
  }
}

/** The event that tells a client that its answer broke off, in the words of its API. */
function brokenOff(gateway: Gateway, { wire, upstream }: Exchange, cause: unknown): string {
  const fault = cause instanceof UpstreamFault ? cause : new UpstreamFault("broken", upstream.name, cause);
  const { status, code, message } = describeFailure(fault);
  gateway.log.warn(loggable(fault), "a streamed answer broke off");
  const error = wire.error(status, { code, message });
  // Chat Completions has no names for events; the others have one for this.
  if (wire.api === "chat") return `data: ${JSON.stringify(error)}\n\n`;
  const event =
    wire.api === "messages" ? error : { type: "error", code, message, param: null, sequence_number: 0 };
  return `event: error\ndata: ${JSON.stringify(event)}\n\n`;
}

/** What a stream held. One that ended in an error held no answer: the client will ask again, without what came of it. */
function streamedAnswer(wire: Wire, text: string): WireAnswer {
  const last = readEvents(text.slice(lastEvent(text))).at(-1);
  const failed = last !== undefined && (last["type"] === "response.failed" || last["error"] != null);
  return failed ? NO_ANSWER : wire.readStream(text);
}

/** Where the last event begins that isn't the mark of the end. */
function lastEvent(text: string): number {
  const at = text.lastIndexOf("data:");
  const isMark =
    text.startsWith("[DONE]", at + "data:".length) || text.startsWith(" [DONE]", at + "data:".length);
  return Math.max(0, isMark ? text.lastIndexOf("data:", at - 1) : at);
}

type Transform = (piece: Buffer, isLast: boolean) => Buffer;

function inTurn(transforms: readonly Transform[]): Transform {
  return (piece, isLast) => transforms.reduce((bytes, transform) => transform(bytes, isLast), piece);
}

/** An upstream that doesn't know what a request goes on from may ignore it, and answer as if nothing had been said before. */
function refuseIgnored({ standsOn, upstream }: Exchange, data: Json): void {
  const named = standsOn?.isRebuilt === false ? standsOn.response : undefined;
  if (named === undefined || data["previous_response_id"] !== null) return;
  throw new RequestFault(
    400,
    "previous_response_not_found",
    `Previous response with id '${named}' not found. precis: it isn't in the store, and the upstream ${upstream.name} doesn't keep it. Send all items, or go on from an answer that came through here.`,
  );
}

/** An answer in one piece. */
export async function passJson(
  gateway: Gateway,
  exchange: Exchange,
  outgoing: Outgoing,
  answer: Answer,
  whole: Buffer,
  data: unknown,
): Promise<void> {
  const { response, wire } = exchange;
  let bytes = whole;
  if (isJson(data)) refuseIgnored(exchange, data);
  await finish(gateway, exchange, outgoing, isJson(data) ? wire.readJson(data) : NO_ANSWER);
  const headers = returnedHeaders(answer.headers, exchange.upstream);
  const note = noteOf(gateway, exchange, outgoing);
  const { announcement } = exchange;
  const told = isJson(data) && note ? noteAnswer(wire, note)(data) : undefined;
  const noted = isJson(data) && announcement ? announcement.json(told ?? data) : told;
  if (noted) {
    bytes = Buffer.from(stringifyDeep(noted));
    delete headers["content-encoding"];
  }
  response.writeHead(answer.statusCode, {
    ...headers,
    "content-length": bytes.length,
    ...reportHeaders(exchange, outgoing),
  });
  response.end(bytes);
}

/** Learns from an answer and stores it. The client gets the end of its answer when this is done. */
async function finish(
  gateway: Gateway,
  exchange: Exchange,
  outgoing: Outgoing,
  answer: WireAnswer,
): Promise<void> {
  const { usage } = answer;
  const { report } = outgoing;
  if (usage?.cacheRead) gateway.metrics.cachedTokens.inc(usage.cacheRead);
  if (usage && report) {
    const compactor = (gateway.observing ?? gateway.compactors).of(choiceOf(gateway, exchange));
    // What was only observed went there whole.
    const sent = outgoing.action === "observed" ? report.tokens.transcript : report.tokens.after;
    void compactor.observe({
      usage,
      report,
      tokens: sent + report.budget.tools,
      ...(answer.isCutOff && { stop: "length" }),
    });
  }
  // As the client got it, because so it comes back.
  const { announcement } = exchange;
  const got = announcement ? { ...answer, messages: announcement.messages(answer.messages) } : answer;
  await recordAnswer(gateway, exchange, got);
  guardLoops(gateway, exchange, answer.messages);
}

function noteOf(
  gateway: Gateway,
  { appliedEdits }: Exchange,
  { report, action }: Outgoing,
): AnswerNote | undefined {
  const isView = report && (action === "view" || action === "compacted");
  if (!isView && !appliedEdits) return undefined;
  return {
    saved: isView ? Math.max(0, report.tokens.transcript - report.tokens.after) : undefined,
    asTranscript: gateway.config.usage === "transcript",
    appliedEdits,
  };
}
