import type { IncomingMessage, ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import type { Gateway } from "../gateway.ts";

/** precis's own API, as a listener. */
export function createApi(
  _gateway: Gateway,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const app = new Hono();
  const listener = getRequestListener(app.fetch);
  return async (request, response) => {
    await listener(request, response);
  };
}
