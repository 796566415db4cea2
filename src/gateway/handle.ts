import type { IncomingMessage, ServerResponse } from "node:http";
import { AggregatorRegistry, type Registry } from "prom-client";
import { isLoopback } from "../config/loopback.ts";
import { checkOrigin, type OriginRules } from "./http/admit.ts";
import { RequestFault } from "./http/request-fault.ts";
import { INERT, sendJson } from "./http/send-json.ts";
import type { OpsParts } from "./ops/upkeep.ts";
import type { PageParts } from "./page/context.ts";
import { servePage } from "./page/serve-page.ts";
import type { Requests } from "./requests/requests.ts";
import type { Log } from "./telemetry/log.ts";
import { fail, handleV1 } from "./v1/handle-v1.ts";
import { handleOllama, OLLAMA_PREFIX } from "./v1/ollama/handle-ollama.ts";
import type { V1Parts } from "./v1/pass-through.ts";
import { plainPaths, routeOf } from "./wires/index.ts";

/** The one listener of the server: `/v1` by the shortest way, everything else by its own. */
export function createHandler(
  gateway: Gateway,
  api: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): (request: IncomingMessage, response: ServerResponse) => void {
  const { config } = gateway;
  const rules: OriginRules = { loopback: isLoopback(config.host), hosts: config.hosts, cors: config.cors };

  const route = (request: IncomingMessage, response: ServerResponse): Promise<unknown> | undefined => {
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
    if (pathname === "/mcp")
      // The SDK is loaded by the first who asks.
      return import("./mcp/create-mcp-server.ts").then(({ handleMcp }) =>
        handleMcp(gateway, request, response),
      );
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
    try {
      route(request, response)?.catch((error: unknown) => fail(gateway, response, error));
    } catch (error) {
      fail(gateway, response, error);
    }
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

/** Paths that clients add to their base URL. Others under `/v1` are the upstream's. */
const OUR_PATHS = new Set([...plainPaths, "/v1/models"]);
const PREFIX = "/v1";

/** Some clients write a slash at the end. Only where the path is ours: what is another's goes there as it came. */
function withoutLastSlash(path: string): string {
  const bare = path.endsWith("/") ? path.slice(0, -1) : path;
  return OUR_PATHS.has(bare) ? bare : path;
}

/** Paths of other APIs, and what to do instead. */
const FOREIGN: readonly { readonly path: RegExp; readonly fix: (address: string) => string }[] = [
  {
    path: /^\/openai\//,
    fix: (address) =>
      `These are Azure's paths. Point an ordinary OpenAI client (not an Azure one) at ${address}/v1, and name Azure as an upstream with its own address and key, such as https://NAME.openai.azure.com/openai/v1.`,
  },
  {
    path: /^\/api\/(?:chat|generate|tags|show|embed|embeddings)\/?$/,
    fix: (address) =>
      `This is Ollama's own API. It is at ${address}/ollama here: set OLLAMA_HOST or the client's host to that, with an upstream at http://127.0.0.1:11434/v1.`,
  },
  {
    path: /^\/model\/[^/]+\/(?:converse|invoke)/,
    fix: (address) =>
      `This is Bedrock's own API. Use an OpenAI-compatible client at ${address}/v1, or an Anthropic one at ${address}.`,
  },
];

/** This server as the one who asks reaches it. */
function addressOf({ headers, socket }: IncomingMessage): string {
  return `http://${headers.host ?? `127.0.0.1:${socket.localPort}`}`;
}

/** Answers a client that speaks another API with the way to reach this one; true if that was it. */
function answerForeign(
  parts: { readonly log: Log },
  request: IncomingMessage,
  response: ServerResponse,
  pathname: string,
): boolean {
  const foreign = FOREIGN.find(({ path }) => path.test(pathname));
  if (!foreign) return false;
  const message = `precis: there is nothing at ${request.method} ${pathname}. ${foreign.fix(addressOf(request))}`;
  fail(parts, response, new RequestFault(404, "not-found", message));
  return true;
}

/** Answers a client whose base URL has no `/v1`, or two of them, with the way to set it right; true if that was it. */
function answerWrongBase(
  parts: { readonly log: Log },
  request: IncomingMessage,
  response: ServerResponse,
  pathname: string,
): boolean {
  const isTwice = `${pathname}/`.startsWith(`${PREFIX}${PREFIX}/`);
  const meant = withoutLastSlash(isTwice ? pathname.slice(PREFIX.length) : PREFIX + pathname);
  // A person who looks gets the page.
  const isPerson = request.method !== "POST" && request.headers.accept?.includes("text/html");
  if (isPerson || (!isTwice && !OUR_PATHS.has(meant))) return false;
  const address = addressOf(request);
  const fix = isTwice
    ? `/v1 is there twice, because the client adds it by itself: leave it out of the base URL, such as ${address}.`
    : `Put /v1 at the end of the client's base URL, such as ${address}/v1.`;
  const message = `precis: there is nothing at ${request.method} ${pathname}. ${fix}`;
  fail(parts, response, new RequestFault(404, "not-found", message), routeOf(meant)?.wire);
  return true;
}

/** All parts of a server. They are made in `create-gateway.ts`; everybody else takes those that they need. */
export interface Gateway extends V1Parts, PageParts, OpsParts {
  readonly requests: Requests;
}

/** Longest that the store may take to say that it is there (milliseconds). */
const READY_MS = 2_000;

type HealthParts = Pick<
  OpsParts,
  "version" | "store" | "upstreams" | "spill" | "logHealth" | "metrics" | "gather" | "log" | "isLeaving"
>;

const OPS_PATHS = new Set(["/healthz", "/readyz", "/metrics"]);

/** `/healthz`: the process runs. `/readyz`: it can serve. `/metrics`: for Prometheus. */
async function handleOps(parts: HealthParts, response: ServerResponse, pathname: string): Promise<void> {
  if (pathname === "/healthz") sendJson(response, 200, { status: "ok", version: parts.version });
  else if (pathname === "/readyz") await ready(parts, response);
  else {
    const registry = await registryOf(parts);
    response.writeHead(200, { "content-type": registry.contentType, ...INERT });
    response.end(await registry.metrics());
  }
}

async function ready(parts: HealthParts, response: ServerResponse): Promise<void> {
  if (parts.isLeaving()) {
    sendJson(response, 503, { status: "draining" });
    return;
  }
  const timeout = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error("the store doesn't answer")), READY_MS).unref();
  });
  try {
    await Promise.race([parts.store.conversations.get("default", "readyz"), timeout]);
    sendJson(response, 200, {
      status: "ready",
      store: parts.store.kind,
      upstreams: parts.upstreams.length,
      ...troubles(parts),
    });
  } catch (error) {
    parts.log.error({ err: error }, "not ready");
    sendJson(response, 503, { status: "store-unavailable", ...troubles(parts) });
  }
}

/** What doesn't keep it from serving and somebody should know. */
function troubles({ spill, logHealth }: HealthParts): object {
  const fault = logHealth?.fault();
  return {
    ...(spill && spill.waiting > 0 && { unstoredAnswers: spill.waiting }),
    ...(fault !== undefined && { log: `can't be written: ${fault}` }),
  };
}

/** One process knows only what went through it; whoever asks wants to know about the server. */
async function registryOf({ gather, metrics }: HealthParts): Promise<Registry> {
  if (!gather) return metrics.registry;
  return AggregatorRegistry.aggregate([...(await gather(await metrics.registry.getMetricsAsJSON()))]);
}
