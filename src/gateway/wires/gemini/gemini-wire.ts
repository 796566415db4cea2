import { assembleGemini, candidateOf, chunksOf, partsIn } from "../../../apis/gemini/assemble.ts";
import { requestIn } from "../../../apis/gemini/fields.ts";
import { geminiHosting } from "../../../apis/gemini/hosting.ts";
import { geminiContents } from "../../../apis/index.ts";
import { isJson, type Json, listOf, numberOf, textOf } from "../../../apis/shared/fields.ts";
import { geminiUsage, knownUsage } from "../../../apis/shared/usage.ts";
import { gemini } from "../../../models/index.ts";
import { RequestFault } from "../../http/request-fault.ts";
import { isGoogle } from "../shared/providers.ts";
import { rewrittenMessages, wireDialect } from "../shared/wire-dialect.ts";
import type { Wire, WireAnswer } from "../wire.ts";

/** Gemini's `generateContent`. The model and the wish for a stream stand in its path. */
export const geminiWire: Wire = {
  api: "gemini",
  path: "/v1beta/models",
  dialect: wireDialect(geminiContents),
  // Its streams just end: the last chunk looks like the others.
  endMarkers: [],
  streamsLists: true,
  inputField: "promptTokenCount",
  totalField: "totalTokenCount",
  // Google's client for Python refuses fields that it doesn't know.
  hasStrictUsage: true,

  routing: {
    isAt: isGeminiPath,
    routeOf(path) {
      const asked = askedByPath(path);
      return asked && (asked.method === "countTokens" ? "count" : "answer");
    },
    written: [
      ["/v1beta/models/MODEL:generateContent", "answer"],
      ["/v1beta/models/MODEL:streamGenerateContent", "answer"],
      ["/v1beta/models/MODEL:countTokens", "count"],
    ],
    streamPath: (model) => `/v1beta/models/${encodeURIComponent(model)}:streamGenerateContent?alt=sse`,
  },

  read(given, path) {
    const asked = askedByPath(path);
    const body = requestIn(given);
    const { contents } = body;
    if (!Array.isArray(contents) && !isJson(contents))
      throw new RequestFault(400, "invalid", "`contents` is missing or isn't a list.");
    return {
      model: asked?.model ?? "",
      transcript: listed(contents),
      system: body[systemField(body)],
      tools: body["tools"],
      streamed: asked?.method === "streamGenerateContent",
      cap: numberOf(configOf(body)["maxOutputTokens"]) ?? numberOf(configOf(body)["max_output_tokens"]),
    };
  },

  write: (body, view) => ({
    ...body,
    contents: rewrittenMessages(geminiWire.dialect, body["contents"], view.messages),
    ...(view.system !== undefined && { [systemField(body)]: instructionOf(view.system) }),
  }),

  withoutThinking(body) {
    const { thinkingConfig: _, thinking_config: __, ...config } = configOf(body);
    return { ...body, [configField(body)]: config };
  },

  withCap(body, cap) {
    const { max_output_tokens: _, ...config } = configOf(body);
    return { ...body, [configField(body)]: { ...config, maxOutputTokens: cap } };
  },

  readJson: (answer) => answerOf([answer], partsIn(candidateOf(answer))),

  readStream(text) {
    const chunks = chunksOf(text);
    return answerOf(chunks, assembleGemini(chunks));
  },

  withUsage: (data, change) =>
    isJson(data["usageMetadata"]) ? { ...data, usageMetadata: change(data["usageMetadata"]) } : undefined,

  error: (status, { code, message }) => ({
    error: {
      code: status,
      message,
      status: STATUSES[status] ?? "INTERNAL",
      details: [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: code, domain: "precis" }],
    },
  }),

  brokenOff: (status, error) => `data: ${JSON.stringify(geminiWire.error(status, error))}\n\n`,

  delta(event) {
    const parts = partsIn(candidateOf(event)).filter(isJson);
    const said = (thought: boolean) =>
      parts
        .filter((part) => (part["thought"] === true) === thought)
        .map((part) => textOf(part["text"]) ?? "")
        .join("");
    const { error } = event;
    return {
      text: said(false) || undefined,
      reasoning: said(true) || undefined,
      isEnd: textOf(candidateOf(event)["finishReason"]) !== undefined,
      error: isJson(error) ? textOf(error["message"]) : undefined,
    };
  },

  chat: {
    fields: {},
    cap: undefined,
    request: ({ temperature }) => (temperature === undefined ? {} : { generationConfig: { temperature } }),
  },
  isSpokenBy: (headers) => headers["x-goog-api-key"] !== undefined,
  isProvider: isGoogle,
  convention: "gemini",
  summarizer: ({ addressOf, isSame: _, ...shared }) =>
    gemini({ ...shared, baseURL: addressOf("/v1beta/x").replace(/\/x(?=\?|$)/, "") }),
  movesLaterSystem: false,
  hosting: geminiHosting,
  // What the provider has in its cache stands before everything else, and nobody else knows it.
  isPartial: (body) => typeof (body["cachedContent"] ?? body["cached_content"]) === "string",

  counting: {
    path: "/v1beta/models",
    answer: ({ input }) => ({
      totalTokens: input,
      promptTokensDetails: [{ modality: "TEXT", tokenCount: input }],
    }),
    // A request counts whole, with its tools and system prompt, only inside of this object.
    ask: (body, path) => ({
      path: countingPath(path),
      body: { generateContentRequest: { model: `models/${askedByPath(path)?.model ?? ""}`, ...body } },
    }),
    told: ({ totalTokens }) => numberOf(totalTokens),
  },
};

/** Google's names for statuses. */
const STATUSES: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  413: "INVALID_ARGUMENT",
  429: "RESOURCE_EXHAUSTED",
  502: "UNAVAILABLE",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

/** The API takes one message in place of a list of them. */
function listed(contents: unknown): readonly unknown[] {
  return isJson(contents) ? [contents] : listOf(contents);
}

/** The API takes its fields in both spellings; what a client wrote stays as it is. */
function systemField(body: Json): string {
  return "system_instruction" in body ? "system_instruction" : "systemInstruction";
}

function configField(body: Json): string {
  return "generation_config" in body ? "generation_config" : "generationConfig";
}

function configOf(body: Json): Json {
  const config = body[configField(body)];
  return isJson(config) ? config : {};
}

/** On the wire a system instruction is a message. */
function instructionOf(system: unknown): unknown {
  return typeof system === "string" ? { parts: [{ text: system }] } : system;
}

function answerOf(chunks: readonly Json[], parts: readonly unknown[]): WireAnswer {
  const last = chunks.at(-1) ?? {};
  const usage = chunks.findLast((chunk) => isJson(chunk["usageMetadata"]))?.["usageMetadata"];
  const isCutOff = chunks.some((chunk) => candidateOf(chunk)["finishReason"] === "MAX_TOKENS");
  return {
    messages: parts.length > 0 ? [{ role: "model", parts }] : [],
    usage: knownUsage(geminiUsage(usage)),
    id: textOf(last["responseId"]),
    ...(isCutOff && { isCutOff }),
  };
}

interface AskedByPath {
  readonly model: string;
  readonly method: "generateContent" | "streamGenerateContent" | "countTokens";
}

/** The model stands in the path, at Vertex behind project, place and publisher. */
const PATH =
  /^\/v1(?:beta\d*|alpha)?\/(?:[^?]*\/)?models\/([^/?:]+):(generateContent|streamGenerateContent|countTokens)(?=\?|$)/;

/** What a path of this API asks for; undefined if it is none of those that generate or count. */
function askedByPath(path: string): AskedByPath | undefined {
  const [, model, method] = PATH.exec(path) ?? [];
  if (model === undefined || method === undefined) return undefined;
  return { model: decoded(model), method: method as AskedByPath["method"] };
}

/** Is the path one of this API, whatever it asks for? Everything else of it is Google's. */
function isGeminiPath(path: string): boolean {
  return /^(?:\/upload\/v1|\/v1(?:beta\d*|alpha)\/)/.test(path) || askedByPath(path) !== undefined;
}

/** The path at which the provider counts what another path asks for. */
function countingPath(path: string): string {
  return path
    .replace(/:(?:generateContent|streamGenerateContent)(?=\?|$)/, ":countTokens")
    .replace(/\?.*$/, "");
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
