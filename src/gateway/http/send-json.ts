import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import { stringifyDeep } from "../../core/deep-json.ts";
import { INERT } from "./headers.ts";

/** One JSON answer. Nothing happens if the answer has begun already. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: OutgoingHttpHeaders = {},
): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const bytes = Buffer.from(stringifyDeep(body));
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": bytes.length,
    ...INERT,
    ...headers,
  });
  response.end(bytes);
}
