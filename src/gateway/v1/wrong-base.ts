import type { IncomingMessage, ServerResponse } from "node:http";
import { RequestFault } from "../http/request-fault.ts";
import type { Log } from "../telemetry/log.ts";
import { plainPaths, routeOf } from "../wires/index.ts";
import { fail } from "./handle-v1.ts";

/** Paths that clients add to their base URL. Others under `/v1` are the upstream's. */
const OUR_PATHS = new Set([...plainPaths, "/v1/models"]);
const PREFIX = "/v1";

/** Some clients write a slash at the end. Only where the path is ours: what is another's goes there as it came. */
export function withoutLastSlash(path: string): string {
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
export function addressOf({ headers, socket }: IncomingMessage): string {
  return `http://${headers.host ?? `127.0.0.1:${socket.localPort}`}`;
}

/** Answers a client that speaks another API with the way to reach this one; true if that was it. */
export function answerForeign(
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
export function answerWrongBase(
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
