import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { isJson, type Json, parseJson, textOf } from "../../../apis/shared/fields.ts";
import { stringifyDeep } from "../../../core/json.ts";
import type { Client } from "../../http/admit.ts";
import { readJson } from "../../http/read-body.ts";
import { RequestFault } from "../../http/request-fault.ts";
import { sendJson } from "../../http/send-json.ts";
import { answerText } from "../../upstream/answer.ts";
import { chooseUpstream } from "../../upstream/upstream.ts";
import { fail, handleV1 } from "../handle-v1.ts";
import { listedModels } from "../list-models.ts";
import type { V1Parts } from "../pass-through.ts";
import {
  chatApi,
  errorFromChat,
  fromChat,
  fromEvents,
  linesFromChat,
  type OllamaFacts,
  type OllamaRoute,
  toChat,
} from "./chat.ts";

/** What the paths of Ollama's own API begin with here. */
export const OLLAMA_PREFIX = "/ollama";
/** Clients look at it to know what they may ask for; this is the one whose API is spoken. */
const VERSION = "0.12.0";
const NANOSECONDS_PER_MS = 1_000_000;

/** Ollama's own API under `/ollama`. Its requests become chat completions, so that any upstream can answer them. */
export async function handleOllama(
  parts: V1Parts,
  request: IncomingMessage,
  response: ServerResponse,
  pathname: string,
): Promise<unknown> {
  const path = pathname.slice(OLLAMA_PREFIX.length).replace(/\/$/, "");
  try {
    if (path === "/api/chat" || path === "/api/generate")
      return await answer(parts, request, response, path === "/api/chat" ? "chat" : "generate");
    if (path === "/api/embed") return await embed(parts, request, response);
    if (path === "/api/version") return sendJson(response, 200, { version: VERSION });
    if (path === "/api/ps") return sendJson(response, 200, { models: [] });
    if (path === "/api/tags") return sendJson(response, 200, { models: await tags(parts, request) });
    if (path === "/api/show") return sendJson(response, 200, await show(parts, request));
    if (path === "" && request.method !== "POST") {
      response.writeHead(200, { "content-type": "text/plain; charset=utf-8" }).end("Ollama is running");
      return undefined;
    }
    throw new RequestFault(
      404,
      "not-found",
      `precis: there is nothing at ${request.method} ${pathname}. Of Ollama's API there are chat, generate, embed, tags, show, ps and version. Ask Ollama itself for everything else.`,
    );
  } catch (error) {
    fail(parts, response, error, { error: (_, { message }) => ({ error: message }) });
  }
}

async function answer(
  parts: V1Parts,
  request: IncomingMessage,
  response: ServerResponse,
  route: OllamaRoute,
): Promise<unknown> {
  // Strangers are refused before anything of theirs is read.
  await parts.authenticate(request.headers);
  const { body } = await readJson(request, parts.config.limits);
  const chat = toChat(body);
  const started = performance.now();
  const facts: OllamaFacts = {
    route,
    model: textOf(chat["model"]) ?? "",
    createdAt: new Date(parts.now()).toISOString(),
    nanoseconds: () => Math.round((performance.now() - started) * NANOSECONDS_PER_MS),
  };
  // Clients ask with nothing to load a model ahead of time.
  const isEmpty =
    route === "generate"
      ? body["prompt"] === ""
      : Array.isArray(body["messages"]) && body["messages"].length === 0;
  if (isEmpty) return sendJson(response, 200, { ...fromChat(facts, {}), done_reason: "load" });
  const asked = asRequest(request, chatApi.path, Buffer.from(stringifyDeep(chat)));
  const { answerBytes } = parts.config.limits;
  rewriteResponse(response, rewritingOf(facts, chat["stream"] === true, answerBytes));
  return handleV1(parts, asked, response, chatApi.path);
}

const EMBEDDINGS_PATH = "/v1/embeddings";

/** Embeddings in OpenAI's words, which every upstream that has them speaks. */
async function embed(parts: V1Parts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  await parts.authenticate(request.headers);
  const { model, input, dimensions } = (await readJson(request, parts.config.limits)).body;
  const asked = asRequest(request, EMBEDDINGS_PATH, Buffer.from(stringifyDeep({ model, input, dimensions })));
  rewriteResponse(response, {
    most: parts.config.limits.answerBytes,
    streamed: () => undefined,
    whole(status, text) {
      const read = text === undefined ? { error: TOO_LONG } : parseJson(text);
      const usage = isJson(read) && isJson(read["usage"]) ? read["usage"] : {};
      const found = isJson(read) && status < 400 && Array.isArray(read["data"]) ? read["data"] : undefined;
      const embeddings = found?.map((one) => (isJson(one) ? one["embedding"] : undefined));
      const answer = embeddings
        ? { model, embeddings, prompt_eval_count: usage["prompt_tokens"] ?? 0 }
        : errorFromChat(read);
      const isUnread = status < 400 && !embeddings;
      return { status: isUnread ? BAD_GATEWAY : status, type: JSON_TYPE, text: stringifyDeep(answer) };
    },
  });
  return handleV1(parts, asked, response, EMBEDDINGS_PATH);
}

/** How a chat completion is told. One that wasn't asked for so, such as events for an answer in one piece, is told all the same. */
function rewritingOf(facts: OllamaFacts, isStreamed: boolean, most: number): Rewriting {
  const lines = linesFromChat(facts, most);
  return {
    most,
    streamed(status, headers) {
      const isPlain = (headers["content-encoding"] ?? "identity") === "identity";
      const isEvents = String(headers["content-type"]).startsWith("text/event-stream");
      if (!isStreamed || status >= 400 || !isEvents || !isPlain) return undefined;
      return { headers: { ...headers, "content-type": LINES }, ...lines };
    },
    whole(status, text) {
      if (text === undefined)
        return { status: BAD_GATEWAY, type: JSON_TYPE, text: JSON.stringify({ error: TOO_LONG }) };
      if (isStreamed && status < 400 && beginsEvents(text))
        return { status, type: LINES, text: lines.push(Buffer.from(`${text}\n`)) + lines.end() };
      const rewritten = answerIn(facts, status, text);
      const isUnread = status < 400 && "error" in rewritten;
      const end = isStreamed ? "\n" : "";
      return {
        status: isUnread ? BAD_GATEWAY : status,
        type: JSON_TYPE,
        text: stringifyDeep(rewritten) + end,
      };
    },
  };
}

const LINES = "application/x-ndjson";
const JSON_TYPE = "application/json; charset=utf-8";
const BAD_GATEWAY = 502;
const UNREADABLE =
  "precis: the upstream's answer isn't a chat completion. Check that its address is that of an OpenAI-compatible API, such as http://localhost:11434/v1.";

const TOO_LONG =
  "precis: the upstream's answer is longer than limits.answerBytes, so it can't be translated to Ollama's format.";

const beginsEvents = (text: string): boolean => /^\s*(?:data|event|id|retry)?:/.test(text);

/** All of an answer in one piece, or an error. */
function answerIn(facts: OllamaFacts, status: number, text: string): Json {
  const read = parseJson(text);
  if (status >= 400) return errorFromChat(read);
  if (!isJson(read)) return (beginsEvents(text) && fromEvents(facts, text)) || { error: UNREADABLE };
  if (read["error"] != null) return errorFromChat(read);
  return Array.isArray(read["choices"]) ? fromChat(facts, read) : { error: UNREADABLE };
}

/** The models of all upstreams as Ollama lists them. What it says of their files nobody else knows. */
async function tags(
  parts: Pick<V1Parts, "authenticate" | "limitRate" | "upstreams">,
  request: IncomingMessage,
): Promise<Json[]> {
  const client = await clientOf(parts, request);
  const models = await listedModels(parts, request.headers, client);
  return models.map(({ id, created }) => {
    const name = textOf(id) ?? "";
    return {
      name,
      model: name,
      modified_at: timeOf(created),
      size: 0,
      digest: "",
      details: DETAILS,
    };
  });
}

async function clientOf(
  parts: Pick<V1Parts, "authenticate" | "limitRate">,
  { headers }: IncomingMessage,
): Promise<Client> {
  const client = await parts.authenticate(headers);
  parts.limitRate(client);
  return client;
}

/** Latest time that a date can be (seconds). */
const LATEST = 8.64e12;

/** Providers count seconds; whatever else stands there is no time. */
function timeOf(created: unknown): string {
  const seconds = typeof created === "number" && Math.abs(created) <= LATEST ? created : 0;
  return new Date(seconds * 1_000).toISOString();
}

const DETAILS = {
  parent_model: "",
  format: "",
  family: "",
  families: [],
  parameter_size: "",
  quantization_level: "",
};

async function show(
  parts: Pick<V1Parts, "authenticate" | "limitRate" | "config" | "upstreams" | "windows">,
  request: IncomingMessage,
): Promise<Json> {
  const client = await clientOf(parts, request);
  const { body } = await readJson(request, parts.config.limits);
  const model = textOf(body["model"]) ?? textOf(body["name"]) ?? "";
  const upstream = chooseUpstream(parts.upstreams, model, undefined);
  const { window } = parts.windows.of(upstream, model, client.tenant);
  return {
    modelfile: "",
    parameters: `num_ctx ${window}`,
    template: "",
    details: DETAILS,
    model_info: { "general.architecture": "precis", "precis.context_length": window },
    capabilities: ["completion", "tools", "thinking", "vision"],
  };
}

/** A request of ours in place of the client's: another path and body, everything else as it came. */
function asRequest(
  { headers: given, socket }: Pick<IncomingMessage, "headers" | "socket">,
  path: string,
  body: Buffer,
): IncomingMessage {
  const { "content-encoding": _, "transfer-encoding": __, ...headers } = given;
  const sent: IncomingHttpHeaders = {
    ...headers,
    "content-type": "application/json",
    "content-length": String(body.length),
    // What comes back is read and written anew.
    "accept-encoding": "identity",
  };
  return Object.assign(Readable.from([body]), {
    method: "POST",
    url: path,
    headers: sent,
    socket,
    complete: true,
  }) as unknown as IncomingMessage;
}

/** How an answer is written anew. */
interface Rewriting {
  /** How its pieces are written as they come; undefined: it is written at its end, when all of it is there. */
  streamed(status: number, headers: OutgoingHttpHeaders): RewrittenStream | undefined;
  /** All of it, by its text without compression; undefined: it is too long to be written anew. */
  whole(status: number, text: string | undefined): RewrittenAnswer;
  /** What is longer isn't kept (bytes). */
  readonly most: number;
}

interface RewrittenStream {
  readonly headers: OutgoingHttpHeaders;
  /** Text for the client, as far as it can be told by now. */
  push(piece: Buffer): string;
  end(): string;
}

interface RewrittenAnswer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

/** Makes a response write everything anew before it leaves. Whoever writes into it sees nothing of that. */
function rewriteResponse(response: ServerResponse, rewriting: Rewriting): void {
  const writeHead = response.writeHead.bind(response) as (
    s: number,
    h: OutgoingHttpHeaders,
  ) => ServerResponse;
  const write = response.write.bind(response) as (text: string, done: Done) => boolean;
  const end = response.end.bind(response) as (text: string, done: Done) => ServerResponse;
  let stream: RewrittenStream | undefined;
  let head: OutgoingHttpHeaders = {};
  let pieces: Buffer[] = [];
  let size = 0;
  let isSent = false;
  const send = (text: string | undefined, done: Done) => {
    const { "content-encoding": _, ...rest } = head;
    const rewritten = rewriting.whole(response.statusCode, text);
    writeHead(rewritten.status, { ...rest, "content-type": rewritten.type });
    end(rewritten.text, done);
  };
  const endWhole = (done: Done) => {
    if (isSent || response.headersSent) return done?.();
    isSent = true;
    const encoding = head["content-encoding"];
    const packed = { headers: typeof encoding === "string" ? { "content-encoding": encoding } : {} };
    const bytes = Buffer.concat(pieces);
    pieces = [];
    if (size > rewriting.most) return send(undefined, done);
    // What isn't packed leaves at once.
    const text = answerText(packed, bytes, rewriting.most);
    if (typeof text === "string") return send(text, done);
    void text.then((unpacked) => send(unpacked, done)).catch(() => response.destroy());
  };
  /** Keeps a piece until all are there. A client isn't left to wait for the end of what is too long. */
  const keep = (piece: Buffer) => {
    size += piece.length;
    if (size <= rewriting.most) pieces.push(piece);
    else endWhole(undefined);
  };
  Object.assign(response, {
    writeHead(status: number, headers: OutgoingHttpHeaders = {}) {
      const { "content-length": _, ...rest } = headers;
      stream = rewriting.streamed(status, rest);
      if (stream) return writeHead(status, stream.headers);
      // Whoever looks at it before all is there sees what was meant.
      response.statusCode = status;
      head = rest;
      pieces = [];
      size = 0;
      isSent = false;
      return response;
    },
    write(piece: unknown, done?: unknown) {
      const callback = typeof done === "function" ? (done as () => void) : undefined;
      const text = stream?.push(bytesIn(piece)) ?? "";
      if (!stream) keep(bytesIn(piece));
      if (text !== "") return write(text, callback);
      callback?.();
      return true;
    },
    end(piece?: unknown, done?: unknown) {
      const callback = [piece, done].find((one) => typeof one === "function") as Done;
      if (stream) return end(stream.push(bytesIn(piece)) + stream.end(), callback);
      keep(bytesIn(piece));
      endWhole(callback);
      return response;
    },
  });
}

type Done = (() => void) | undefined;

const bytesIn = (piece: unknown): Buffer =>
  typeof piece === "string" ? Buffer.from(piece) : Buffer.isBuffer(piece) ? piece : Buffer.alloc(0);
