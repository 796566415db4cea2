import type { IncomingMessage, ServerResponse } from "node:http";
import { isLoopback } from "../config/loopback.ts";
import type { Gateway } from "./gateway.ts";
import { checkOrigin, type OriginRules } from "./http/check-origin.ts";
import { RequestFault } from "./http/request-fault.ts";
import { handleOps, OPS_PATHS } from "./ops/health.ts";
import { servePage } from "./page/serve-page.ts";
import { fail, handleV1 } from "./v1/handle-v1.ts";
import { handleOllama, OLLAMA_PREFIX } from "./v1/ollama/handle-ollama.ts";
import { addressOf, answerForeign, answerWrongBase, withoutLastSlash } from "./v1/wrong-base.ts";
import { plainPaths } from "./wires/index.ts";

/** The one listener of the server: `/v1` by the shortest way, everything else by its own. */
export function createHandler(
  gateway: Gateway,
  api: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): (request: IncomingMessage, response: ServerResponse) => void {
  const { config } = gateway;
  const rules: OriginRules = { loopback: isLoopback(config.host), hosts: config.hosts, cors: config.cors };

  const route = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = (request.url ?? "/").replace(ALIAS, "/v1");
    const given = pathOf(url);
    const pathname = withoutLastSlash(given);
    if (pathname !== given || url !== request.url) request.url = pathname + url.slice(given.length);
    if (OPS_PATHS.has(pathname)) return handleOps(gateway, response, pathname);
    checkOrigin(request.headers, rules);
    if (rules.cors.length > 0 && allowOrigin(request, response)) return;
    // A client that tries one first goes on over HTTP as soon as it is refused so.
    if (/^websocket$/i.test(request.headers.upgrade ?? ""))
      throw new RequestFault(
        426,
        "no-websockets",
        "precis: there are no WebSockets here. Send requests with POST over HTTP.",
      );
    if (plainPaths.has(pathname)) return handleV1(gateway, request, response, pathname);
    if (answerWrongBase(gateway, request, response, pathname)) return;
    if (answerForeign(gateway, request, response, pathname)) return;
    if (UPSTREAM_PATHS.test(pathname)) return handleV1(gateway, request, response, pathname);
    if (pathname === OLLAMA_PREFIX || pathname.startsWith(`${OLLAMA_PREFIX}/`))
      return handleOllama(gateway, request, response, pathname);
    if (pathname.startsWith("/api/")) return api(request, response);
    if (request.method === "GET" || request.method === "HEAD")
      return servePage(response, pathname, request.method === "HEAD");
    throw new RequestFault(
      404,
      "not-found",
      `precis: there is nothing at ${request.method} ${pathname}. Clients use ${addressOf(request)}/v1 (OpenAI's) or ${addressOf(request)} (Anthropic's and Google's).`,
    );
  };

  return (request, response) => {
    if (gateway.isLeaving()) response.setHeader("connection", "close");
    route(request, response).catch((error: unknown) => fail(gateway, response, error));
  };
}

/** OpenAI's and Anthropic's paths, and Google's. */
const UPSTREAM_PATHS = /^(?:\/upload)?\/v1(?:beta\d*|alpha)?\//;
/** Where Groq and Ollama have OpenAI's API: their clients add it by themselves. */
const ALIAS = /^\/(?:openai|ollama)\/v1(?=\/)/;

/** The path without query; `..` and doubled slashes can't lead anywhere. */
function pathOf(url: string): string {
  const query = url.indexOf("?");
  const path = query < 0 ? url : url.slice(0, query);
  if (plainPaths.has(path)) return path;
  // Clients write the slash of a model's name so (`/v1/models/meta-llama%2FLlama-3`). Only an upstream is told it.
  const read = UPSTREAM_PATHS.test(path) ? path.replace(/%2[ef]/gi, decodeURIComponent) : path;
  if (!read.startsWith("/") || /\/\/|\/\.\.?(?:\/|$)|%2e|%2f|%5c|\\/i.test(read))
    throw new RequestFault(400, "bad-path", "precis: this path can't be.");
  return path;
}

/** Answers a browser's question whether it may ask; true if that was all. */
function allowOrigin(request: IncomingMessage, response: ServerResponse): boolean {
  const { origin } = request.headers;
  if (origin === undefined) return false;
  response.setHeader("access-control-allow-origin", origin);
  response.setHeader("vary", "origin");
  response.setHeader(
    "access-control-expose-headers",
    "x-precis-session, x-precis-action, x-precis-pressure, x-precis-tokens-before, x-precis-tokens-after, x-precis-summarizer, x-precis-tools",
  );
  if (request.method !== "OPTIONS") return false;
  response.writeHead(204, {
    "access-control-allow-methods": "GET, POST, PUT, PATCH, DELETE",
    "access-control-allow-headers": String(request.headers["access-control-request-headers"] ?? "*"),
    "access-control-max-age": "600",
  });
  response.end();
  return true;
}
