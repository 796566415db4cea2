import type { IncomingMessage, ServerResponse } from "node:http";
import { isJson, parseJson, textOf } from "../../apis/shared/fields.ts";
import type { StreamStore } from "../../stores/server-store.ts";
import type { Authenticate, Client, LimitStreams } from "../http/admit.ts";
import { readBody } from "../http/read-body.ts";
import type { Requests } from "../requests/requests.ts";
import { abortOnClose } from "../turn/read.ts";
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
  const bytes = passing.bytes ?? (await readBody(request, parts.config.limits.bodyBytes));
  const upstream =
    passing.upstream ??
    chooseForRest(parts.upstreams, modelOf(path, bytes), dialectOf(path, request.headers));
  const signal = abortOnClose(response);
  const headers = upstreamHeaders(upstream, request.headers, path, bytes.length, client.keyIsOurs);
  const hasBody = bytes.length > 0 || request.headers["content-length"] !== undefined;
  if (!hasBody) delete headers["content-length"];
  const answer = await send({
    upstream,
    method: request.method ?? "GET",
    path: targetPath(upstream, path),
    headers,
    body: hasBody ? bytes : undefined,
    signal,
  });
  if (response.destroyed) throw new Error("the client went away");
  await new Promise<void>((resolve, reject) => {
    // With the first bytes: until then a fault can still be told in words.
    let hasBegun = false;
    const begin = () => {
      if (hasBegun) return;
      hasBegun = true;
      response.writeHead(answer.statusCode, {
        ...returnedHeaders(answer.headers, upstream),
        "x-precis-action": "untouched",
      });
    };
    const buffered: Buffer[] = [];
    const end = () => {
      begin();
      response.end(Buffer.concat(buffered));
    };
    response.on("close", resolve);
    response.on("drain", () => answer.resume());
    answer.read({
      piece(bytes) {
        if (onAnswer) return void buffered.push(bytes);
        begin();
        if (!response.write(bytes)) answer.pause();
      },
      end() {
        if (onAnswer) onAnswer(parseJson(Buffer.concat(buffered).toString("utf8"))).then(end, reject);
        else end();
      },
      broken(cause) {
        // The client must see that the answer isn't whole.
        if (hasBegun) response.destroy();
        reject(cause);
      },
    });
  });
  return answer.statusCode;
}

/** The model that a request names in its path or body; empty if it names none. */
function modelOf(path: string, bytes: Buffer): string {
  const named = /^\/v1(?:beta\d*|alpha)?\/models\/([^?:]+)/.exec(path)?.[1];
  if (named !== undefined) return named;
  const body = parseJson(bytes.toString("utf8"));
  return (isJson(body) ? textOf(body["model"]) : undefined) ?? "";
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
