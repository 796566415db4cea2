import type { IncomingMessage, ServerResponse } from "node:http";
import { countRequest } from "../telemetry/metrics.ts";
import type { TurnTrace } from "../telemetry/open-telemetry.ts";
import { noteRequest } from "../turn/note-request.ts";
import type { Outgoing } from "../turn/turn.ts";
import { routeOf, wireAtPath } from "../wires/index.ts";
import { count } from "./count.ts";
import type { Exchange } from "./exchange.ts";
import { fail } from "./fail.ts";
import { generate } from "./generate.ts";
import { handleCompact } from "./handle-compact.ts";
import { listModels } from "./list-models.ts";
import { passThrough } from "./pass-through.ts";
import { readExchange } from "./read-exchange.ts";
import { handleStreams, STREAMS_PATH } from "./streams/handle-streams.ts";
import type { V1Parts } from "./v1-parts.ts";

/** Everything under `/v1` and `/v1beta`. */
export async function handleV1(
  parts: V1Parts,
  request: IncomingMessage,
  response: ServerResponse,
  pathname: string,
): Promise<void> {
  const { metrics } = parts;
  const routed = request.method === "POST" ? routeOf(pathname) : undefined;
  const wire = routed?.wire;
  hideQueryKey(request);
  const path = request.url ?? pathname;
  const started = performance.now();
  let done: Pick<Outgoing, "action" | "report"> = { action: "untouched", report: undefined };
  let status: number;
  let turn: { readonly exchange: Exchange; readonly trace: TurnTrace } | undefined;
  metrics.active.add(1);
  try {
    const found = parts.authenticate(request.headers);
    const client = found instanceof Promise ? await found : found;
    parts.limitRate(client);
    const base = { request, response, client, path };
    if (wire && routed.route === "answer") {
      const exchange = await readExchange(parts, { ...base, wire });
      const trace = parts.tracing.begin(request.headers, parts.now() - (performance.now() - started));
      turn = { exchange, trace };
      try {
        done = await trace.run(() => generate(parts, exchange));
      } finally {
        exchange.recording?.end();
      }
      status = response.statusCode;
    } else if (wire?.compacting && routed?.route === "compaction") {
      status = await handleCompact(parts, wire, wire.compacting, base);
    } else if (wire?.counting && routed?.route === "count") {
      status = await count(parts, wire, wire.counting, base);
    } else if (pathname === STREAMS_PATH || pathname.startsWith(`${STREAMS_PATH}/`)) {
      status = await handleStreams(parts, base, pathname);
    } else if (pathname === "/v1/models" && request.method === "GET") {
      status = await listModels(parts, base);
    } else {
      status = await passThrough(parts, base);
    }
  } catch (error) {
    if (response.destroyed && !response.headersSent) status = 499;
    else status = fail(parts, response, error, wire ?? wireAtPath(pathname));
  } finally {
    metrics.active.add(-1);
  }
  const ms = performance.now() - started;
  const { action } = done;
  const isAnswer = routed?.route === "answer";
  countRequest(parts, { api: isAnswer ? routed.wire.api : "other", status, action, ms });
  if (parts.log.isLevelEnabled("debug"))
    parts.log.debug(
      { path: pathname, status, action, ms: Math.round(ms), ...namesOf(turn?.exchange) },
      "request",
    );
  if (!turn) return;
  const { exchange, trace } = turn;
  noteRequest(parts, exchange, { ...done, path: pathname, status, ms, usage: exchange.told.usage }, trace);
}

/** Which turn it was, for the log. */
function namesOf(exchange: Exchange | undefined): object | undefined {
  return (
    exchange && {
      model: exchange.asked.model,
      conversation: exchange.recording?.known.id,
      tenant: exchange.client.tenant,
    }
  );
}

/** The header in which Google's clients send their key. */
const HEADER = "x-goog-api-key";

/**
 * Google's clients may send their key in the query. It is moved into its header, where every key is: so it stands in no path that is
 * logged, shown or sent on.
 */
function hideQueryKey(request: IncomingMessage): void {
  const { url = "/" } = request;
  const at = url.indexOf("?");
  if (at < 0 || !/[?&]key=/.test(url)) return;
  const query = new URLSearchParams(url.slice(at + 1));
  const key = query.get("key");
  query.delete("key");
  if (key) request.headers[HEADER] ??= key;
  const rest = query.toString();
  request.url = url.slice(0, at) + (rest === "" ? "" : `?${rest}`);
}
