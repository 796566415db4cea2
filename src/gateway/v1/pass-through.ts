import type { IncomingMessage, ServerResponse } from "node:http";
import { type Json, parseJson, textOf } from "../../apis/shared/fields.ts";
import type { StreamStore } from "../../stores/server-store.ts";
import type { Authenticate, Client, LimitStreams } from "../http/admit.ts";
import { parseBody, readBody } from "../http/read-body.ts";
import type { Requests } from "../requests/requests.ts";
import { abortOnClose } from "../turn/read.ts";
import { relayStream } from "../turn/relay.ts";
import type { TurnParts } from "../turn/turn.ts";
import { send } from "../upstream/send.ts";
import {
  chooseForRest,
  dialectOf,
  returnedHeaders,
  targetPath,
  type Upstream,
  upstreamHeaders,
} from "../upstream/upstream.ts";
import { UpstreamFault } from "../upstream/upstream-fault.ts";
import type { LiveStream } from "./streams/live-stream.ts";

export interface Passing {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly client: Client;
  /** The path of the request, with its query. */
  readonly path: string;
  /** The body, if it was read already. */
  readonly bytes?: Buffer;
  readonly upstream?: Upstream;
  /** Sees the answer before the client does. */
  onAnswer?(json: unknown): Promise<void>;
}

/** Everything of `/v1` and `/v1beta` that precis has no part in: forwarded and answered byte for byte. */
export async function passThrough(
  parts: Pick<V1Parts, "config" | "upstreams">,
  passing: Passing,
): Promise<number> {
  const { request, response, client, path, onAnswer } = passing;
  // It is read here, too.
  if (onAnswer) request.headers["accept-encoding"] = "identity";
  const bytes = passing.bytes ?? (await readBody(request, parts.config.limits));
  const upstream = passing.upstream ?? (await upstreamFor(parts, passing, bytes));
  const signal = abortOnClose(response);
  const sent = upstreamHeaders(upstream, request.headers, path, bytes.length, client.keyIsOurs);
  const hasBody = bytes.length > 0 || request.headers["content-length"] !== undefined;
  if (!hasBody) delete sent["content-length"];
  const answer = await send({
    upstream,
    method: request.method ?? "GET",
    path: targetPath(upstream, path),
    headers: sent,
    body: hasBody ? bytes : undefined,
    signal,
  });
  // With the first bytes, at the earliest: until then a fault can still be told in words.
  const first = await answer.whole(onAnswer ? parts.config.limits.answerBytes : 0);
  if (response.destroyed) throw new Error("the client went away");
  if (first.isWhole) await onAnswer?.(parseJson(first.bytes.toString("utf8")));
  const headers = { ...returnedHeaders(answer.headers, upstream), "x-precis-action": "untouched" };
  response.writeHead(answer.statusCode, headers);
  if (first.isWhole) response.end(first.bytes);
  else {
    const passed = { answer, response, first: first.bytes, endMarkers: [], most: 0, commit: () => undefined };
    const isBroken = (await relayStream(passed)) === "broken";
    if (isBroken && !signal.aborted) throw new UpstreamFault("broken", upstream.name);
  }
  return answer.statusCode;
}

/** Only where several would do, the body is looked into for its model. One that can't be read names none. */
async function upstreamFor(
  { upstreams }: Pick<V1Parts, "upstreams">,
  { path, request }: Passing,
  bytes: Buffer,
): Promise<Upstream> {
  const dialect = dialectOf(path, request.headers);
  const inPath = /^\/v1(?:beta\d*|alpha)?\/models\/([^?:]+)/.exec(path)?.[1];
  const isClear = upstreams.filter(({ dialects }) => dialects.includes(dialect)).length === 1;
  const isAsked = inPath === undefined && !isClear && bytes.length > 0;
  const body = isAsked
    ? await Promise.resolve(bytes)
        .then(parseBody)
        .catch(() => ({}))
    : {};
  return chooseForRest(upstreams, inPath ?? textOf((body as Json)["model"]) ?? "", dialect);
}

/** What requests of clients are served with. */
export interface V1Parts extends TurnParts {
  readonly requests: Pick<Requests, "begin">;
  readonly authenticate: Authenticate;
  readonly limitRate: (client: Client) => void;
  readonly limitStreams: LimitStreams;
  /** Streams that are open in this process, by their id. */
  readonly streams: Map<string, LiveStream>;
  /** Where streams are written down, if they are. */
  readonly streamLog: StreamStore | undefined;
}
