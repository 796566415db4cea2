import type { IncomingMessage } from "node:http";
import { TranscriptError } from "../../core/errors.ts";
import { overflowOf } from "../../models/index.ts";
import type { Gateway } from "../gateway.ts";
import { returnedHeaders } from "../http/headers.ts";
import { emulate } from "../native/emulate.ts";
import { nativeWish } from "../native/native-wish.ts";
import { type AnswerNote, answerRewriter, noteAnswer } from "../relay/answer-rewriter.ts";
import { relayStream } from "../relay/relay-stream.ts";
import { answerText } from "../upstream/decode-answer.ts";
import { readAll } from "../upstream/read-all.ts";
import { send, UpstreamFault } from "../upstream/send.ts";
import { targetPath } from "../upstream/target-path.ts";
import { upstreamHeaders } from "../upstream/upstream-headers.ts";
import { isJson, parseJson } from "../wires/json.ts";
import type { WireAnswer } from "../wires/wire.ts";
import { decideView } from "./decide-view.ts";
import type { Exchange, Outgoing } from "./exchange.ts";
import { guardLoops } from "./loop-guard.ts";
import { reportHeaders } from "./report-headers.ts";

const NO_ANSWER: WireAnswer = { messages: [], usage: undefined, id: undefined };

/** Sends a request on and its answer back. */
export async function generate(gateway: Gateway, given: Exchange): Promise<Action> {
  const exchange = await prepareNative(gateway, given);
  if (!exchange) return "compacted";
  let outgoing = await decideView(gateway, exchange);
  gateway.metrics.ownSeconds.observe((performance.now() - exchange.arrivedAt) / 1_000);
  exchange.recording?.begin();
  let answer = await sendOn(exchange, outgoing);
  if (exchange.recording) exchange.recording.known.lastRequestAt = exchange.startedAt;
  let failed = await failure(answer, exchange);
  const overflow =
    failed &&
    !exchange.options.off &&
    !gateway.config.observe &&
    overflowOf(answer.statusCode ?? 0, failed.text);
  if (overflow) {
    const again = await compactHarder(gateway, exchange, overflow);
    if (again) {
      outgoing = again;
      answer = await sendOn(exchange, outgoing);
      failed = await failure(answer, exchange);
      gateway.metrics.rejected.inc({ result: failed ? "failed" : "fitted" });
    } else gateway.metrics.rejected.inc({ result: "impossible" });
  }
  if (failed) await passFailure(gateway, exchange, outgoing, answer, failed.bytes);
  else if (/^text\/event-stream/i.test(answer.headers["content-type"] ?? ""))
    await passStream(gateway, exchange, outgoing, answer);
  else await passJson(gateway, exchange, outgoing, answer);
  return outgoing.action;
}

type Action = Outgoing["action"];

/** The provider's own compaction: forwarded where the upstream has it, carried out here where it hasn't. */
async function prepareNative(gateway: Gateway, exchange: Exchange): Promise<Exchange | undefined> {
  const wish = nativeWish(exchange.wire, exchange.body);
  const { isNative } = exchange.upstream;
  if (exchange.options.off || gateway.config.observe) return exchange;
  if (isNative) return wish.isNative ? { ...exchange, isUntouched: true } : exchange;
  if (!wish.isNative && wish.edits.length === 0) return exchange;
  try {
    return await emulate(gateway, exchange, wish);
  } catch (error) {
    // What can't be read is the upstream's to refuse.
    if (!(error instanceof TranscriptError) || exchange.response.headersSent) throw error;
    return { ...exchange, isUntouched: true };
  }
}

function sendOn(exchange: Exchange, outgoing: Outgoing): Promise<IncomingMessage> {
  const { upstream, request, client, path, signal } = exchange;
  const headers = upstreamHeaders(upstream, request.headers, path, outgoing.body.length, client.keyIsOurs);
  if (outgoing.isOurs) delete headers["content-encoding"];
  return send({
    upstream,
    method: "POST",
    path: targetPath(upstream, path),
    headers,
    body: outgoing.body,
    signal,
  });
}

async function failure(
  answer: IncomingMessage,
  { upstream }: Exchange,
): Promise<{ readonly bytes: Buffer; readonly text: string } | undefined> {
  if ((answer.statusCode ?? 500) < 400) return undefined;
  const bytes = await readAll(answer, upstream.name);
  return { bytes, text: answerText(answer, bytes) };
}

/** A view that is small enough for what the upstream said; undefined if there is none. */
async function compactHarder(
  gateway: Gateway,
  exchange: Exchange,
  { tokens, limit }: { readonly tokens?: number; readonly limit?: number },
): Promise<Outgoing | undefined> {
  const { upstream, asked, recording, client } = exchange;
  gateway.totals.add("rejected");
  const learned = limit !== undefined && gateway.windows.learn(upstream, asked.model, limit);
  gateway.log.warn(
    { model: asked.model, upstream: upstream.name, tokens, limit, learned },
    "the upstream refused a request as too long; compacting harder",
  );
  if (recording?.known.id !== undefined)
    void gateway.timeline.add(client.tenant, recording.known.id, gateway.now(), {
      type: "rejected",
      tokens,
      limit,
    });
  try {
    const outgoing = await decideView(gateway, exchange, { tokens });
    return outgoing.isOurs ? outgoing : undefined;
  } catch (error) {
    // The upstream's own error tells the client more than ours would.
    gateway.log.warn({ err: error }, "nothing smaller could be made");
    return undefined;
  }
}

async function passFailure(
  gateway: Gateway,
  exchange: Exchange,
  outgoing: Outgoing,
  answer: IncomingMessage,
  bytes: Buffer,
): Promise<void> {
  const { response, recording } = exchange;
  await recording?.abandon().catch((error: unknown) => storeFailed(gateway, error));
  response.writeHead(answer.statusCode ?? 502, {
    ...returnedHeaders(answer.headers),
    "content-length": bytes.length,
    ...reportHeaders(exchange, outgoing),
  });
  response.end(bytes);
}

async function passStream(
  gateway: Gateway,
  exchange: Exchange,
  outgoing: Outgoing,
  answer: IncomingMessage,
): Promise<void> {
  const { response, wire } = exchange;
  const note = noteOf(gateway, exchange, outgoing);
  const isPlain = (answer.headers["content-encoding"] ?? "identity") === "identity";
  const headers = returnedHeaders(answer.headers);
  if (note) delete headers["content-length"];
  response.writeHead(answer.statusCode ?? 200, { ...headers, ...reportHeaders(exchange, outgoing) });
  const outcome = await relayStream({
    answer,
    response,
    endMarkers: isPlain ? wire.endMarkers : [],
    transform: note && isPlain ? answerRewriter(wire, note) : undefined,
    commit: (bytes) =>
      finish(gateway, exchange, outgoing, bytes ? wire.readStream(answerText(answer, bytes)) : NO_ANSWER),
  });
  if (outcome === "broken") {
    await exchange.recording?.abandon().catch((error: unknown) => storeFailed(gateway, error));
    if (!exchange.signal.aborted) throw new UpstreamFault("broken", exchange.upstream.name);
  }
}

async function passJson(
  gateway: Gateway,
  exchange: Exchange,
  outgoing: Outgoing,
  answer: IncomingMessage,
): Promise<void> {
  const { response, wire, upstream } = exchange;
  let bytes = await readAll(answer, upstream.name);
  const data = parseJson(answerText(answer, bytes));
  await finish(gateway, exchange, outgoing, isJson(data) ? wire.readJson(data) : NO_ANSWER);
  const headers = returnedHeaders(answer.headers);
  const note = noteOf(gateway, exchange, outgoing);
  const noted = note && isJson(data) ? noteAnswer(wire, note)(data) : undefined;
  if (noted) {
    bytes = Buffer.from(JSON.stringify(noted));
    delete headers["content-encoding"];
  }
  response.writeHead(answer.statusCode ?? 200, {
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
  if (usage && report && outgoing.action !== "observed") {
    const { client, wire, upstream, asked, options } = exchange;
    const compactor = gateway.compactors.of({
      tenant: client.tenant,
      wire,
      upstream,
      model: asked.model,
      cap: asked.cap,
      ...options,
    });
    compactor.observe({ usage, tokens: report.tokens.after + report.budget.tools });
  }
  try {
    const { recording, wire, body, client } = exchange;
    const keepsId = wire.api === "responses" && body["store"] !== false && answer.id !== undefined;
    await recording?.finish(answer.messages, keepsId ? answer.id : undefined);
    if (keepsId && recording?.known.id !== undefined) {
      const length = recording.record.chain.length - 1 + answer.messages.length;
      gateway.responses.remember(client.tenant, answer.id!, { conversation: recording.known.id, length });
    }
    guardLoops(gateway, exchange, answer.messages);
  } catch (error) {
    storeFailed(gateway, error);
  }
}

/** The conversation goes on: the client sends the messages again with its next request, and they are stored then. */
function storeFailed(gateway: Gateway, error: unknown): void {
  gateway.metrics.storeFailures.inc();
  gateway.log.error({ err: error }, "a transcript could not be stored");
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
