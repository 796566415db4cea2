import type { IncomingHttpHeaders, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { stringifyDeep } from "../../core/json.ts";

/** What every answer has that isn't the page: a browser that is led to it runs nothing of it on the page's origin. */
export const INERT: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
};

export function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  const text = Array.isArray(value) ? value[0] : value;
  return text === undefined || text === "" ? undefined : text;
}

/** One JSON answer. Nothing happens if the answer has begun already. Returns the status. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: OutgoingHttpHeaders = {},
): number {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return status;
  }
  const bytes = Buffer.from(stringifyDeep(body));
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": bytes.length,
    ...INERT,
    ...headers,
  });
  response.end(bytes);
  return status;
}
