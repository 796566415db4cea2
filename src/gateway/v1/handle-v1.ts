import type { IncomingMessage, ServerResponse } from "node:http";
import { isJson } from "../../apis/shared/fields.ts";
import { GOOGLE, openaiError } from "../../apis/shared/providers.ts";
import { deleteAnswer } from "../conversation/named-by-client.ts";
import { RequestFault } from "../http/request-fault.ts";
import { sendJson } from "../http/send-json.ts";
import { describeFailure } from "../requests/describe-failure.ts";
import { CLIENT_LEFT } from "../requests/running-request.ts";
import { type Log, loggable } from "../telemetry/log.ts";
import { passFailure, passJson, passStream, passUnread } from "../turn/answer.ts";
import { decideView } from "../turn/fit.ts";
import { makeSummary, prepareNative } from "../turn/native.ts";
import { wantedTools, withGatewayTools } from "../turn/offer-tools.ts";
import { readExchange } from "../turn/read.ts";
import { takeTurn } from "../turn/rounds.ts";
import { isStream } from "../turn/send.ts";
import type { Exchange, TurnParts } from "../turn/turn.ts";
import { type Routed, routeOf, type Wire, wireAtPath } from "../wires/index.ts";
import { count } from "./count.ts";
import { listModels } from "./list-models.ts";
import { type Passing, passThrough, type V1Parts } from "./pass-through.ts";
import { handleStreams, STREAMS_PATH } from "./streams/handle-streams.ts";

/** Everything under `/v1`, `/v1beta` and `/upload`. */
export async function handleV1(
  parts: V1Parts,
  request: IncomingMessage,
  response: ServerResponse,
  pathname: string,
): Promise<void> {
  const routed = request.method === "POST" ? routeOf(pathname) : undefined;
  const wire = routed?.wire;
  hideQueryKey(request);
  const path = request.url ?? pathname;
  const isAnswer = routed?.route === "answer";
  const record = parts.requests.begin({
    kind: "client",
    api: isAnswer ? routed.wire.api : "other",
    isPassedOn: !isAnswer,
    path: pathname,
    headers: request.headers,
  });
  try {
    const found = parts.authenticate(request.headers);
    const client = found instanceof Promise ? await found : found;
    record.client = client;
    parts.limitRate(client);
    const base = { request, response, client, path, record };
    if (wire && isAnswer) {
      const exchange = await readExchange(parts, { ...base, wire });
      try {
        await record.run(() => answerRequest(parts, exchange));
      } finally {
        exchange.recording?.end();
      }
      record.end(response.statusCode);
    } else record.end(await serveOther(parts, base, routed, pathname));
  } catch (error) {
    const isGone = response.destroyed && !response.headersSent;
    const status = isGone ? CLIENT_LEFT : fail(parts, response, error, wire ?? wireAtPath(pathname));
    record.end(status, isGone ? undefined : error);
  }
}

/**
 * The way of a request that was read: what its API has of its own, the tools of precis that were switched on for it, its view, the
 * upstream, the answer. Most requests have only the last three.
 */
async function answerRequest(parts: TurnParts, read: Exchange): Promise<void> {
  const { wire } = read;
  const asked = wire.native || wire.isPartial ? await prepareNative(parts, read) : read;
  if (!asked) return;
  const tools = wantedTools(parts.config, read);
  const exchange = tools.length > 0 ? await withGatewayTools(parts, asked, tools) : asked;
  const done = await takeTurn(parts, exchange, (round, rejected) => decideView(parts, round, rejected));
  const { outgoing, answer, failed, read: bytes, isUnread } = done;
  if (isUnread && bytes) await passUnread(parts, exchange, outgoing, answer, bytes);
  else if (failed) await passFailure(parts, exchange, outgoing, answer, failed.bytes);
  else if (isStream(answer, exchange)) await passStream(parts, exchange, outgoing, answer, bytes);
  else await passJson(parts, exchange, outgoing, answer, bytes ?? Buffer.alloc(0), done.data);
}

/** Serves what isn't for a model to answer. Resolves with the status. */
function serveOther(
  parts: V1Parts,
  passing: Passing & Pick<Exchange, "record">,
  routed: Routed | undefined,
  pathname: string,
): Promise<number> {
  const { wire, route } = routed ?? {};
  if (wire?.compacting && route === "compaction") return handleCompact(parts, wire, wire.compacting, passing);
  if (wire?.counting && route === "count") return count(parts, wire, wire.counting, passing);
  if (pathname === STREAMS_PATH || pathname.startsWith(`${STREAMS_PATH}/`))
    return handleStreams(parts, passing, pathname);
  if (pathname === "/v1/models" && passing.request.method === "GET") return listModels(parts, passing);
  return passOther(parts, passing, pathname);
}

/** Forwards what precis has no part in, but for an answer that the client deletes, or polls for. */
function passOther(parts: V1Parts, passing: Passing, pathname: string): Promise<number> {
  const { request, client } = passing;
  const wire = wireAtPath(pathname);
  const named = wire?.naming?.answerAt(pathname);
  if (wire === undefined || named === undefined) return passThrough(parts, passing);
  const polled = () => parts.memory.findPolled(client.tenant, named);
  const forget = () => parts.memory.keepPolled(client.tenant, named, undefined);
  if (request.method === "DELETE") {
    forget();
    return deleteAnswer(parts, client.tenant, named).then(() => passThrough(parts, passing));
  }
  // A stream goes on as it comes.
  const isWhole = request.method === "GET" && !/[?&]stream=true/.test(passing.path);
  if (!isWhole || !polled()) return passThrough(parts, passing);
  return passThrough(parts, {
    ...passing,
    async onAnswer(json) {
      const answer = isJson(json) && json["id"] === named ? wire.readAnswer(json) : undefined;
      const waiting = polled();
      if (!answer || answer.isUnfinished || !waiting) return;
      forget();
      await waiting.store(answer);
    },
  });
}

/** Google's clients may send their key in the query; it is moved into its header, so that no path that is logged holds it. */
function hideQueryKey(request: IncomingMessage): void {
  const { url = "/" } = request;
  const at = url.indexOf("?");
  if (at < 0 || !/[?&]key=/.test(url)) return;
  const query = new URLSearchParams(url.slice(at + 1));
  const key = query.get("key");
  query.delete("key");
  if (key) request.headers[GOOGLE.keyHeader] ??= key;
  const rest = query.toString();
  request.url = url.slice(0, at) + (rest === "" ? "" : `?${rest}`);
}

/** A route that does nothing but compact: by the provider where it has it, by precis where it hasn't. */
async function handleCompact(
  parts: V1Parts,
  wire: Wire,
  compacting: NonNullable<Wire["compacting"]>,
  passing: Passing & Pick<Exchange, "record">,
): Promise<number> {
  const exchange = await readExchange(parts, { ...passing, wire });
  const { upstream, bytes, body, options } = exchange;
  if (upstream.isNative || options.off || parts.config.observe)
    return passThrough(parts, { ...passing, bytes, upstream });
  const items = compacting.items(body);
  if (items.length === 0)
    throw new RequestFault(
      400,
      "nothing-to-compact",
      "precis: there is nothing to compact: `input` is empty.",
    );
  const made = await exchange.record.run(() => makeSummary(parts, exchange, items, undefined));
  exchange.record.action = "compacted";
  return sendJson(exchange.response, 200, compacting.answer(made, items), {
    "x-precis-action": "compacted",
  });
}

/** Answers with an error in the words of the client's API. */
export function fail(
  { log }: { readonly log: Log },
  response: ServerResponse,
  error: unknown,
  wire?: Pick<Wire, "error">,
): number {
  const { status, code, message, isOurs } = describeFailure(error);
  if (isOurs) log.error({ err: error }, "a request failed");
  else log.debug({ ...loggable(error), status }, "a request was refused");
  const body = (wire?.error ?? openaiError)(status, { code, message });
  const retryAfter = error instanceof RequestFault ? error.retryAfter : undefined;
  const { request_id: id } = body;
  // Part of the body may still be on its way: the connection can't be used again.
  return sendJson(response, status, body, {
    ...((status === 413 || status === 400) && { connection: "close" }),
    ...(retryAfter !== undefined && { "retry-after": String(retryAfter) }),
    // Anthropic's clients read it here.
    ...(typeof id === "string" && { "request-id": id }),
  });
}
