import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";

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
]);

/** Headers of an answer that concern one connection only, or that a provider has no business setting here. */
const NOT_RETURNED = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "transfer-encoding",
  "trailer",
  "upgrade",
  "set-cookie",
  "access-control-allow-origin",
  "access-control-allow-credentials",
]);

/** The client's headers for the upstream, without those of ours. */
export function forwardedHeaders(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  const forwarded: OutgoingHttpHeaders = {};
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined || NOT_FORWARDED.has(name)) continue;
    if (name.startsWith("x-precis-") || name.startsWith("x-forwarded-") || name.startsWith("sec-")) continue;
    forwarded[name] = value;
  }
  return forwarded;
}

/** The upstream's headers for the client. */
export function returnedHeaders(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  const returned: OutgoingHttpHeaders = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined && !NOT_RETURNED.has(name)) returned[name] = value;
  }
  return returned;
}

/** A header's one value. */
export function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  const text = Array.isArray(value) ? value[0] : value;
  return text === undefined || text === "" ? undefined : text;
}
