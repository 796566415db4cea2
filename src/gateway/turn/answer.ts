import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import { isJson, type Json } from "../../apis/shared/fields.ts";
import type { AnswerRewrite } from "../../apis/shared/native.ts";
import { stringifyDeep } from "../../core/json.ts";
import type { Report } from "../../core/types.ts";
import { RequestFault } from "../http/request-fault.ts";
import { describeFailure } from "../requests/describe-failure.ts";
import { CLIENT_LEFT } from "../requests/running-request.ts";
import { loggable } from "../telemetry/log.ts";
import { type Answer, isPlain } from "../upstream/answer.ts";
import { returnedHeaders } from "../upstream/upstream.ts";
import { called, UpstreamFault } from "../upstream/upstream-fault.ts";
import type { WireAnswer } from "../wires/index.ts";
import {
  errorIn,
  finishTurn,
  NO_ANSWER,
  recordAnswer,
  recordUnanswered,
  streamedAnswer,
  upstreamWords,
} from "./commit.ts";
import { relayStream } from "./relay.ts";
import type { Action, Exchange, Outgoing, TurnParts } from "./turn.ts";

/** An error of the upstream, as it is. */
export async function passFailure(
  parts: TurnParts,
  exchange: Exchange,
  outgoing: Outgoing,
  answer: Answer,
  bytes: Buffer,
): Promise<void> {
  const { record } = exchange;
  record.fails(answer.statusCode, saidIn(answer, bytes));
  await recordUnanswered(parts, exchange);
  begin(exchange, outgoing, answer, { "content-length": bytes.length }).end(bytes);
}

/** The head of an answer: the upstream's, and what precis did. */
function begin(
  exchange: Exchange,
  outgoing: Outgoing,
  { statusCode, headers }: Answer,
  changed: OutgoingHttpHeaders = {},
): ServerResponse {
  const { response, upstream } = exchange;
  const all = Object.assign(returnedHeaders(headers, upstream), changed, reportHeaders(exchange, outgoing));
  for (const name in changed) if (changed[name] === undefined) delete all[name];
  response.writeHead(statusCode, all);
  return response;
}

/** What an upstream says of an error, in words as far as it can be read. */
function saidIn(answer: Answer, bytes: Buffer): string {
  const words = isPlain(answer) ? upstreamWords(bytes.toString("utf8")) : "";
  return words === "" ? `The upstream answered ${answer.statusCode}.` : words;
}

/** A streamed answer, as it comes. */
export async function passStream(
  parts: TurnParts,
  exchange: Exchange,
  outgoing: Outgoing,
  answer: Answer,
  first: Buffer | undefined,
): Promise<void> {
  const { response, wire } = exchange;
  const { answerBytes } = parts.config.limits;
  const canRead = isPlain(answer);
  const transforms = rewritesOf(exchange).map((one) => inBuffers(one.stream(answerBytes)));
  // Its end may be another than announced: events are changed on their way, and one that breaks off gets an event more.
  begin(exchange, outgoing, answer, { "content-length": undefined });
  const outcome = await relayStream({
    answer,
    response,
    first,
    endMarkers: canRead ? wire.endMarkers : [],
    most: answerBytes,
    transform: transforms.length > 0 && canRead ? inTurn(transforms) : undefined,
    farewell: (cause) => (canRead ? brokenOff(parts, exchange, cause) : undefined),
    commit: (bytes) => {
      const text = canRead ? bytes?.toString("utf8") : undefined;
      if (text === undefined) return finish(parts, exchange, outgoing, NO_ANSWER);
      const isUsageAlone = !exchange.opening && !outgoing.report && !exchange.hosted;
      const { answer: streamed, error } = streamedAnswer(wire, text, isUsageAlone);
      if (error) exchange.record.fails(error.status, error.message);
      return finish(parts, exchange, outgoing, streamed);
    },
  });
  await noteBroken(parts, exchange, outcome);
}

async function noteBroken(
  parts: TurnParts,
  exchange: Exchange,
  outcome: Awaited<ReturnType<typeof relayStream>>,
): Promise<void> {
  if (outcome !== "broken") return;
  const { record, signal, upstream, response } = exchange;
  const fault = new UpstreamFault("broken", upstream.name);
  if (signal.aborted) record.fails(CLIENT_LEFT, "The client went away.");
  else record.fails(describeFailure(fault).status, fault.message);
  await recordUnanswered(parts, exchange);
  if (!signal.aborted && !response.writableEnded) throw fault;
}

/** An answer in one piece that is too long to be read, or an error, as it comes. */
export async function passUnread(
  parts: TurnParts,
  exchange: Exchange,
  outgoing: Outgoing,
  answer: Answer,
  first: Buffer,
): Promise<void> {
  const outcome = await relayStream({
    answer,
    response: begin(exchange, outgoing, answer),
    first,
    endMarkers: [],
    most: 0,
    commit: () => finish(parts, exchange, outgoing, NO_ANSWER),
  });
  await noteBroken(parts, exchange, outcome);
}

/** The event that tells a client that its answer broke off, in the words of its API. */
function brokenOff(
  { log }: Pick<TurnParts, "log">,
  { wire, upstream, record, signal }: Exchange,
  cause: unknown,
): string {
  const fault = cause instanceof UpstreamFault ? cause : new UpstreamFault("broken", upstream.name, cause);
  const { status, code, message } = describeFailure(fault);
  if (!signal.aborted) record.fails(status, message);
  log.warn(loggable(fault), "a streamed answer broke off");
  return wire.brokenOff(status, { code, message });
}

type Transform = (piece: Buffer, isLast: boolean) => Buffer;

function inBuffers(change: (piece: Uint8Array, isLast: boolean) => Uint8Array): Transform {
  return (piece, isLast) => {
    const { buffer, byteOffset, byteLength } = change(piece, isLast);
    return Buffer.from(buffer, byteOffset, byteLength);
  };
}

function inTurn(transforms: readonly Transform[]): Transform {
  return (piece, isLast) => transforms.reduce((bytes, transform) => transform(bytes, isLast), piece);
}

/** An upstream that doesn't know what a request goes on from may ignore it, and answer as if nothing had been said before. */
function refuseIgnored({ goesOnFrom, upstream, wire }: Exchange, data: Json): void {
  const named = goesOnFrom?.isRebuilt === false ? goesOnFrom.response : undefined;
  if (named === undefined || !wire.naming?.passedOver(data)) return;
  throw new RequestFault(
    400,
    "previous_response_not_found",
    `Previous response with id '${named}' not found. precis: it isn't in the store, and ${called(upstream.name)} doesn't keep it. Send all items, or go on from an answer that came through here.`,
  );
}

/** An answer in one piece. */
export async function passJson(
  parts: TurnParts,
  exchange: Exchange,
  outgoing: Outgoing,
  answer: Answer,
  whole: Buffer,
  data: unknown,
): Promise<void> {
  const { wire } = exchange;
  let bytes = whole;
  if (isJson(data)) refuseIgnored(exchange, data);
  const error = errorIn(data);
  if (error) exchange.record.fails(error.status, error.message);
  const read = isJson(data) ? wire.readAnswer(data) : NO_ANSWER;
  const problem = isPlain(answer) ? problemOf(exchange, data, read) : undefined;
  if (problem) exchange.record.fails(problem.status ?? answer.statusCode, problem.message);
  const finished = finish(parts, exchange, outgoing, read);
  if (finished) await finished;
  const changed: OutgoingHttpHeaders = {};
  const rewrites = rewritesOf(exchange);
  if (isJson(data) && rewrites.length > 0) {
    bytes = Buffer.from(stringifyDeep(rewrites.reduce((rewritten, one) => one.json(rewritten), data)));
    changed["content-encoding"] = undefined;
  }
  begin(exchange, outgoing, answer, { ...changed, "content-length": bytes.length }).end(bytes);
}

/** Why an answer in one piece is none, although its status is a good one; without a `status`: it is one all the same. */
function problemOf(
  { wire: { dialect } }: Pick<Exchange, "wire">,
  data: unknown,
  { messages, stop, isUnfinished }: WireAnswer,
): { readonly status?: number; readonly message: string } | undefined {
  if (data === undefined) return { status: 502, message: "The answer can't be read: it isn't JSON." };
  if (stop === "refusal") return { message: "The model refused to answer." };
  const isEmpty = messages.every((message) => dialect.read(message).parts.length === 0);
  return isJson(data) && isEmpty && !isUnfinished ? { message: "The answer is empty." } : undefined;
}

/** Learns from an answer and stores it. The client gets the end of its answer when this is done. */
function finish(
  parts: TurnParts,
  exchange: Exchange,
  outgoing: Outgoing,
  answer: WireAnswer,
): Promise<void> | undefined {
  const { announcement, opening, record } = exchange;
  if (announcement) record.action = "compacted";
  const store = (own: WireAnswer) =>
    // As the client got it, because so it comes back.
    recordAnswer(
      parts,
      exchange,
      announcement ? { ...own, messages: announcement.messages(own.messages) } : own,
    );
  return finishTurn(exchange, outgoing, answer, opening && store);
}

/** What the provider's own compaction would have said in the answer. */
function rewritesOf({ appliedEdits, announcement, wire }: Exchange): readonly AnswerRewrite[] {
  const edits = appliedEdits && wire.native?.withAppliedEdits?.(appliedEdits);
  return [edits, announcement].filter((one) => one !== undefined);
}

/** What precis did, for whoever wants to know: never inside the model's text. */
export function reportHeaders(
  exchange: Exchange,
  { action, report }: Pick<Outgoing, "action" | "report">,
): OutgoingHttpHeaders {
  const session = nameOf(exchange.recording?.known.session);
  const { hosted, toolsOff } = exchange;
  const headers: OutgoingHttpHeaders = { "x-precis-action": actionOf(exchange, action) };
  if (hosted) headers["x-precis-tools"] = hosted.tools.join(",");
  if (toolsOff !== undefined) headers["x-precis-tools"] = `none; why=${toolsOff}`;
  if (session !== undefined) headers["x-precis-session"] = session;
  if (report) {
    headers["x-precis-pressure"] = report.pressure.after.toFixed(3);
    headers["x-precis-tokens-before"] = String(report.tokens.transcript);
    headers["x-precis-tokens-after"] = String(report.tokens.after);
    headers["x-precis-summarizer"] = summarizerIn(report);
  }
  return headers;
}

/** Who may be asked for summaries, and with whose key. */
function summarizerIn({ summarizer }: Pick<Report, "summarizer">): string {
  if (!summarizer) return "none";
  const { id, key } = summarizer;
  return `${nameOf(id) ?? "a model"}${key ? `; key=${key}` : ""}`;
}

/** A compaction that the client asked the provider for is one, though the view that it left was sent as it is. */
function actionOf({ announcement }: Pick<Exchange, "announcement">, action: Action): Action {
  return announcement ? "compacted" : action;
}

/** A name that came from a provider or from an import may hold what a header can't. */
function nameOf(session: string | undefined): string | undefined {
  return session !== undefined && /^[\x21-\x7e]+$/.test(session) ? session : undefined;
}
