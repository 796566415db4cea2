import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";
import { INERT } from "../http/headers.ts";
import { withoutOwnQuery } from "./address.ts";
import type { Upstream } from "./upstream.ts";

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
