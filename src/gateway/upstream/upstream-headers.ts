import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";
import { forwardedHeaders } from "../http/headers.ts";
import type { Upstream } from "./upstream.ts";

/** Headers that carry a client's key. */
const KEY_HEADERS = ["authorization", "x-api-key", "api-key"];

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
    const isAnthropic = path.startsWith("/v1/messages") || !upstream.dialects.includes("openai-chat");
    if (isAnthropic) sent["x-api-key"] = apiKey;
    else sent["authorization"] = `Bearer ${apiKey}`;
  }
  for (const [name, value] of Object.entries(upstream.config.headers ?? {})) sent[name.toLowerCase()] = value;
  sent["host"] = upstream.url.host;
  sent["content-length"] = bytes;
  return sent;
}
