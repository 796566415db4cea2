import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";
import type { Dispatcher } from "undici";
import { INERT } from "../http/send-json.ts";
import { Answer } from "./answer.ts";
import type { Asking } from "./connection.ts";
import { type Upstream, withoutOwnQuery } from "./upstream.ts";
import { codeOf, UpstreamFault } from "./upstream-fault.ts";

export interface Sending {
  readonly upstream: Upstream;
  readonly method: string;
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer | undefined;
  readonly signal: AbortSignal;
}

const LATE = new Set(["UND_ERR_CONNECT_TIMEOUT", "UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"]);
/** Below it an answer only says that another one follows. */
const FINAL_STATUS = 200;
/** Its head says how long the body would be that it doesn't have, which undici takes for a body that is missing. */
const NOT_MODIFIED = 304;
const OTHER_LENGTH = "UND_ERR_RES_CONTENT_LENGTH_MISMATCH";

/** A connection that was kept open was closed by the other side just then: such a request is sent again. */
class StaleConnection extends Error {}

/** Sends a request and resolves with the head of the answer. Its body is still to be read. */
export async function send(sending: Sending): Promise<Answer> {
  try {
    return await attempt(sending, false);
  } catch (error) {
    if (!(error instanceof StaleConnection)) throw error;
    return attempt(sending, true);
  }
}

/** Methods that do the same once and twice. */
const IDEMPOTENT = new Set(["GET", "HEAD", "OPTIONS", "PUT", "DELETE"]);

function isIdempotent(method: string, headers: OutgoingHttpHeaders): boolean {
  return IDEMPOTENT.has(method) || headers["idempotency-key"] !== undefined;
}

function attempt(
  { upstream, method, path, headers, body, signal }: Sending,
  isLast: boolean,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    let controller: Dispatcher.DispatchController | undefined;
    let answer: Answer | undefined;
    const asking: Asking = {
      method: method as Dispatcher.HttpMethod,
      path,
      headers: headers as IncomingHttpHeaders,
      body: body ?? null,
    };
    const abort = () => {
      const reason = signal.reason as Error;
      if (controller) {
        controller.abort(reason);
        return;
      }
      // The client left while the connection was being made.
      reject(reason);
      asking.connection?.abandon(reason);
    };
    signal.addEventListener("abort", abort, { once: true });
    upstream.pool.dispatch(asking, {
      onRequestStart(started) {
        controller = started;
        if (signal.aborted) abort();
        else asking.connection?.begin();
      },
      onResponseStarted: () => asking.connection?.answered(),
      onResponseStart(source, status, received) {
        if (status < FINAL_STATUS) return;
        answer = new Answer(status, answerHeaders(received), source, upstream.config.timeoutMs);
        resolve(answer);
      },
      onResponseData: (_, bytes) => answer?.push(bytes),
      onResponseEnd() {
        signal.removeEventListener("abort", abort);
        asking.connection?.ended();
        answer?.finish();
      },
      onResponseError(_, error) {
        signal.removeEventListener("abort", abort);
        asking.connection?.failed();
        const code = codeOf(error);
        // What was written may have been carried out, and paid for: only what may be carried out twice is sent again.
        const wasWritten = controller !== undefined;
        const isStale =
          !isLast &&
          (!wasWritten || isIdempotent(method, headers)) &&
          asking.connection?.isStale(code, wasWritten);
        if (answer?.statusCode === NOT_MODIFIED && code === OTHER_LENGTH) answer.finish();
        else if (answer) answer.fail(faultOf("broken"));
        else reject(isStale && !signal.aborted ? new StaleConnection() : faultOf("unreachable"));

        function faultOf(kind: UpstreamFault["kind"]): unknown {
          if (signal.aborted) return signal.reason;
          return new UpstreamFault(LATE.has(code ?? "") ? "timeout" : kind, upstream.name, error);
        }
      },
    });
  });
}

/** Headers of which only the first counts if there are several. */
const SINGLE = new Set([
  "age",
  "content-length",
  "content-type",
  "etag",
  "expires",
  "last-modified",
  "location",
  "retry-after",
  "server",
]);

/** Headers of an answer, one value for each name, as Node's own client gives them. */
function answerHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): IncomingHttpHeaders {
  const joined: Record<string, string | string[] | undefined> = {};
  for (const name in headers) {
    const value = headers[name];
    if (!Array.isArray(value) || name === "set-cookie") joined[name] = value;
    else joined[name] = SINGLE.has(name) ? value[0] : value.join(", ");
  }
  return joined;
}

/** Headers that concern one connection only, or that we set ourselves. */
const NOT_FORWARDED = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "host",
  "content-length",
  "expect",
  "cookie",
  "origin",
  "referer",
  "forwarded",
  "x-real-ip",
]);

/**
 * Headers of an answer that concern one connection only, or that speak for this server's whole origin, which a provider
 * has no business doing: its cookies, its rules for browsers, where else the origin is found.
 */
const NOT_RETURNED = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-connection",
  "te",
  "transfer-encoding",
  "trailer",
  "upgrade",
  "set-cookie",
  "clear-site-data",
  "strict-transport-security",
  "alt-svc",
  "refresh",
  "link",
  "service-worker-allowed",
  "content-security-policy",
  "content-security-policy-report-only",
  "x-content-type-options",
  "x-frame-options",
  "permissions-policy",
  "report-to",
  "reporting-endpoints",
  "nel",
]);

/** The client's headers for the upstream, without those of ours. */
export function forwardedHeaders(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  const forwarded: OutgoingHttpHeaders = {};
  const ofConnection = namedByConnection(headers);
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined || NOT_FORWARDED.has(name) || ofConnection?.has(name)) continue;
    if (name.startsWith("x-precis-") || name.startsWith("x-forwarded-") || name.startsWith("sec-")) continue;
    forwarded[name] = value;
  }
  return forwarded;
}

/** The upstream's headers for the client. */
export function returnedHeaders(
  headers: IncomingHttpHeaders,
  upstream: Pick<Upstream, "url">,
): OutgoingHttpHeaders {
  const returned: OutgoingHttpHeaders = { ...INERT };
  const ofConnection = namedByConnection(headers);
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined || NOT_RETURNED.has(name) || ofConnection?.has(name)) continue;
    if (!name.startsWith("access-control-")) returned[name] = value;
  }
  // A redirect repeats the query of the request, and a key may stand there.
  for (const name of ADDRESSES) {
    const address = returned[name];
    if (typeof address === "string") returned[name] = withoutOwnQuery(upstream, address);
  }
  return returned;
}

/** Headers whose value is an address. */
const ADDRESSES = ["location", "content-location"];

/** What almost every `connection` says; it names no header. */
const COMMON_CONNECTION = new Set(["keep-alive", "close", "upgrade"]);

/** Headers that `connection` lists: they were meant for whoever is at the other end of it, and for nobody behind (RFC 9110, 7.6.1). */
function namedByConnection({ connection }: IncomingHttpHeaders): ReadonlySet<string> | undefined {
  if (connection === undefined || COMMON_CONNECTION.has(connection)) return undefined;
  return new Set(connection.split(",").map((name) => name.trim().toLowerCase()));
}

/** Headers that carry a client's key. */
export const KEY_HEADERS = ["authorization", "x-api-key", "api-key", "x-goog-api-key"];

/** What is sent upstream: the client's headers, with the server's key in place of the client's where it has one. */
export function upstreamHeaders(
  upstream: Upstream,
  headers: IncomingHttpHeaders,
  path: string,
  bytes: number,
  /** The key that the client showed was for us. */
  keyIsOurs: boolean,
): OutgoingHttpHeaders {
  const sent = forwardedHeaders(headers);
  const { apiKey } = upstream.config;
  if (apiKey !== undefined || keyIsOurs) for (const name of KEY_HEADERS) delete sent[name];
  if (apiKey !== undefined) {
    const convention = upstream.conventionOf(path);
    if (convention === "openai") sent["authorization"] = `Bearer ${apiKey}`;
    else sent[convention === "gemini" ? "x-goog-api-key" : "x-api-key"] = apiKey;
  }
  for (const [name, value] of Object.entries(upstream.config.headers ?? {})) sent[name.toLowerCase()] = value;
  sent["host"] = upstream.url.host;
  sent["content-length"] = bytes;
  return sent;
}
