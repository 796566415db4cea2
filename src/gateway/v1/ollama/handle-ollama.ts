import type { IncomingMessage, ServerResponse } from "node:http";
import { stringifyDeep } from "../../../core/deep-json.ts";
import { type Json, parseJson, textOf } from "../../http/json.ts";
import { decodeBody, parseBody, readBody } from "../../http/read-body.ts";
import { RequestFault } from "../../http/request-fault.ts";
import { sendJson } from "../../http/send-json.ts";
import { chooseUpstream } from "../../upstream/choose-upstream.ts";
import { describeFailure } from "../fail.ts";
import { handleV1 } from "../handle-v1.ts";
import { listsOf } from "../list-models.ts";
import type { V1Parts } from "../v1-parts.ts";
import { asRequest, asResponse, type Rewriting } from "./adapted.ts";
import {
  chatApi,
  errorFromChat,
  fromChat,
  linesFromChat,
  type OllamaFacts,
  type OllamaRoute,
} from "./from-chat.ts";
import { toChat } from "./to-chat.ts";

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
): Promise<void> {
  const path = pathname.slice(OLLAMA_PREFIX.length).replace(/\/$/, "");
  try {
    if (path === "/api/chat" || path === "/api/generate")
      return await answer(parts, request, response, path === "/api/chat" ? "chat" : "generate");
    if (path === "/api/version") return sendJson(response, 200, { version: VERSION });
    if (path === "/api/ps") return sendJson(response, 200, { models: [] });
    if (path === "/api/tags") return sendJson(response, 200, { models: await tags(parts, request) });
    if (path === "/api/show") return sendJson(response, 200, await show(parts, request));
    if (path === "" && request.method !== "POST") {
      response.writeHead(200, { "content-type": "text/plain; charset=utf-8" }).end("Ollama is running");
      return;
    }
    throw new RequestFault(
      404,
      "not-found",
      `precis: there is nothing at ${request.method} ${pathname}. Of Ollama's API there are chat, generate, tags, show, ps and version. Ask Ollama itself for everything else.`,
    );
  } catch (error) {
    const { status, message } = describeFailure(error);
    sendJson(response, status, { error: message });
  }
}

async function bodyOf(parts: Pick<V1Parts, "config">, request: IncomingMessage): Promise<Json> {
  const { limits } = parts.config;
  const bytes = await readBody(request, limits.bodyBytes);
  return parseBody(await decodeBody(bytes, request.headers["content-encoding"], limits.bodyBytes), limits);
}

async function answer(
  parts: V1Parts,
  request: IncomingMessage,
  response: ServerResponse,
  route: OllamaRoute,
): Promise<void> {
  const body = await bodyOf(parts, request);
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
  const told = asResponse(response, chat["stream"] === true ? streamed(facts) : whole(facts));
  return handleV1(parts, asked, told, chatApi.path);
}

/** An answer in one piece. */
function whole(facts: OllamaFacts): Rewriting {
  let text = "";
  let isError = false;
  return {
    head(status, headers) {
      isError = status >= 400;
      return { ...headers, "content-type": "application/json; charset=utf-8" };
    },
    push(piece) {
      text += piece;
      return "";
    },
    end() {
      const read = parseJson(text);
      return JSON.stringify(isError ? errorFromChat(read) : fromChat(facts, (read ?? {}) as Json));
    },
  };
}

/** An answer in lines, unless it is an error or a server that doesn't stream. */
function streamed(facts: OllamaFacts): Rewriting {
  const lines = linesFromChat(facts);
  const one = whole(facts);
  let isStream = false;
  return {
    head(status, headers) {
      isStream = status < 400 && String(headers["content-type"]).startsWith("text/event-stream");
      return isStream ? { ...headers, "content-type": "application/x-ndjson" } : one.head(status, headers);
    },
    push: (text) => (isStream ? lines.push(text) : one.push(text)),
    end: () => (isStream ? lines.end() : `${one.end()}\n`),
  };
}

/** The models of all upstreams as Ollama lists them. What it says of their files nobody else knows. */
async function tags(
  parts: Pick<V1Parts, "authenticate" | "upstreams">,
  request: IncomingMessage,
): Promise<Json[]> {
  const client = await parts.authenticate(request.headers);
  const lists = await Promise.allSettled(listsOf(parts, request.headers, client));
  return lists
    .flatMap((list) => (list.status === "fulfilled" ? list.value : []))
    .map(({ id, created }) => {
      const name = textOf(id) ?? "";
      const at = typeof created === "number" ? created * 1_000 : 0;
      return {
        name,
        model: name,
        modified_at: new Date(at).toISOString(),
        size: 0,
        digest: "",
        details: DETAILS,
      };
    });
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
  parts: Pick<V1Parts, "authenticate" | "config" | "upstreams" | "windows">,
  request: IncomingMessage,
): Promise<Json> {
  const client = await parts.authenticate(request.headers);
  const body = await bodyOf(parts, request);
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
