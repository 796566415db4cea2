import { defined } from "../../core/collections.ts";
import type { Dialect, ModelMessage, ModelRequest, StopReason } from "../../core/types.ts";
import type { Api, Asking, AskSettings } from "../shared/api.ts";
import { isJson, type Json, listOf, numberOf, obj, objectsOf, str, textOf } from "../shared/fields.ts";
import { GOOGLE } from "../shared/providers.ts";
import { capWithRoom, continuedFields } from "../shared/request.ts";
import { geminiUsage, knownUsage } from "../shared/usage.ts";
import { geminiContents } from "./index.ts";
import { fieldOf, keyOf } from "./read.ts";

const STOPS: Readonly<Record<string, StopReason>> = {
  STOP: "end",
  MAX_TOKENS: "length",
  SAFETY: "refusal",
  RECITATION: "refusal",
  BLOCKLIST: "refusal",
  PROHIBITED_CONTENT: "refusal",
  SPII: "refusal",
};

/** Gemini's `generateContent`. The model and the wish for a stream stand in its path. */
export const geminiApi: Api = {
  api: "gemini",
  provider: GOOGLE,
  path: "/v1beta/models",
  pathOf(model, streamed) {
    const name = encodeURIComponent(model.replace(/^models\//, ""));
    return `/v1beta/models/${name}:${streamed ? "streamGenerateContent?alt=sse" : "generateContent"}`;
  },
  isAsked: (path) => /^(?:stream)?generateContent$/i.test(askedByPath(path)?.method ?? ""),
  dialect: geminiContents as Dialect<unknown>,
  fields: {
    messages: "contents",
    system: "systemInstruction",
    tools: ["tools"],
    settings: "generationConfig",
    caps: ["maxOutputTokens"],
  },

  read(given, path) {
    const asked = askedByPath(path);
    const body = requestIn(given);
    const { contents } = body;
    if (!Array.isArray(contents) && !isJson(contents)) return undefined;
    return {
      model: asked?.model ?? "",
      // The API takes one message in place of a list of them.
      transcript: isJson(contents) ? [contents] : listOf(contents),
      system: fieldOf(body, "systemInstruction"),
      tools: body["tools"],
      streamed: asked?.method === "streamGenerateContent",
      cap: numberOf(fieldOf(fieldOf(body, "generationConfig"), "maxOutputTokens")),
    };
  },
  lack: "`contents` is missing or isn't a list.",

  write: (body, { messages, system }) => ({
    ...body,
    contents: messages,
    ...(system != null && { [systemField(body)]: instructionOf(system) }),
  }),

  withCap: (body, cap) =>
    withConfig(body, ({ max_output_tokens: _, ...config }) => ({ ...config, maxOutputTokens: cap })),

  readAnswer(answer) {
    const candidate = candidateOf(answer);
    const parts = partsIn(candidate);
    const { blockReason } = obj(answer["promptFeedback"]);
    const isAnswer =
      isJson(candidate["content"]) || candidate["finishReason"] !== undefined || blockReason !== undefined;
    return {
      messages: parts.length > 0 ? [{ role: "model", parts }] : [],
      usage: knownUsage(geminiUsage(answer["usageMetadata"])),
      stop: blockReason !== undefined ? "refusal" : stopOf(candidate),
      id: textOf(answer["responseId"]),
      model: textOf(answer["modelVersion"]),
      ...(!isAnswer && { isUnfinished: true }),
    };
  },

  assemble(chunks) {
    const last = (name: string) =>
      chunks.map((chunk) => candidateOf(chunk)[name]).findLast((value) => value !== undefined);
    const parts = assembleGemini(chunks);
    return {
      ...chunks.at(-1),
      usageMetadata: chunks.findLast((chunk) => isJson(chunk["usageMetadata"]))?.["usageMetadata"],
      candidates: [{ content: { role: "model", parts }, finishReason: last("finishReason") }],
    };
  },

  readEvent(event) {
    const candidate = candidateOf(event);
    const parts = objectsOf(partsIn(candidate));
    const said = (isThought: boolean) =>
      parts
        .filter((part) => (part["thought"] === true) === isThought)
        .map((part) => str(part["text"]))
        .join("");
    const isEnd = textOf(candidate["finishReason"]) !== undefined;
    return {
      text: said(false) || undefined,
      reasoning: said(true) || undefined,
      usage: geminiUsage(event["usageMetadata"]),
      isEnd,
      ...(isEnd && { stop: stopOf(candidate) }),
    };
  },

  counts: {
    path: countingPath,
    // A request counts whole, with its tools and system prompt, only inside of this object.
    body: (body, path) => ({
      generateContentRequest: { model: `models/${askedByPath(path)?.model ?? ""}`, ...body },
    }),
    read: ({ totalTokens }) => numberOf(totalTokens),
  },

  error: (status, { code, message }) => ({
    error: {
      code: status,
      message,
      status: STATUSES[status] ?? "INTERNAL",
      details: [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: code, domain: "precis" }],
    },
  }),
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

function stopOf(candidate: Json): StopReason {
  return STOPS[str(candidate["finishReason"])] ?? "other";
}

/** A request that is to be counted may stand inside of another object. */
export function requestIn(body: Json): Json {
  const inner = body["generateContentRequest"];
  return isJson(inner) ? inner : body;
}

/** The API takes its fields in both spellings; what a client wrote stays as it is. */
function systemField(body: Json): string {
  return keyOf(body, "systemInstruction") ?? "systemInstruction";
}

/** The request with other settings for its answer. */
export function withConfig(body: Json, change: (config: Json) => Json): Json {
  const name = keyOf(body, "generationConfig") ?? "generationConfig";
  return { ...body, [name]: change(obj(body[name])) };
}

/** On the wire a system instruction is a message. */
function instructionOf(system: unknown): unknown {
  return typeof system === "string" ? { parts: [{ text: system }] } : system;
}

/** Settings that shape the answer and have no part in the prompt. */
const SHAPING: ReadonlySet<string> = new Set([
  ...["stopSequences", "responseMimeType", "responseSchema", "responseJsonSchema", "candidateCount"],
  ...["responseModalities", "speechConfig", "imageConfig", "logprobs", "responseLogprobs"],
]);

export const askGemini: Asking = {
  api: geminiApi,
  ask: (request, settings) => ({
    body: {
      ...(request.system !== undefined && { systemInstruction: instructionOf(request.system) }),
      ...asked(request, settings, [], {}),
    },
  }),
  extend({ generation_config: snake, ...given }, request, settings) {
    const { contents } = given;
    if (!Array.isArray(contents)) return undefined;
    // Both spellings of a field beside each other would be two values of it.
    const said = Object.entries(obj(given["generationConfig"] ?? snake));
    const camel = Object.fromEntries(said.map(([name, value]) => [inCamelCase(name), value]));
    const config = continuedFields(camel, SHAPING);
    return { body: { ...given, ...asked(request, settings, contents, config) } };
  },
};

const inCamelCase = (name: string): string =>
  name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

function asked(request: ModelRequest, settings: AskSettings, before: readonly unknown[], config: Json): Json {
  const maxOutputTokens = capWithRoom(request.cap, settings);
  return {
    contents: request.messages.reduce<readonly unknown[]>(append, before),
    generationConfig: { ...config, maxOutputTokens, ...defined({ temperature: settings.temperature }) },
  };
}

/** Adds a message. Words of the user behind a message of the user become a further part of it. */
function append(contents: readonly unknown[], { role, text }: ModelMessage): readonly unknown[] {
  const named = role === "assistant" ? "model" : "user";
  const last = obj(contents.at(-1));
  if (contents.length === 0 || (last["role"] ?? "user") !== named)
    return [...contents, { role: named, parts: [{ text }] }];
  return [...contents.slice(0, -1), { ...last, parts: [...listOf(last["parts"]), { text }] }];
}

export function candidateOf(answer: Json): Json {
  const candidate = listOf(answer["candidates"])[0];
  return isJson(candidate) ? candidate : {};
}

export function partsIn(candidate: Json): readonly unknown[] {
  const content = candidate["content"];
  return isJson(content) ? listOf(content["parts"]) : [];
}

/** The parts that the chunks of a stream add up to, as Google's own clients put them together. */
function assembleGemini(chunks: readonly Json[]): readonly Json[] {
  const parts: Json[] = [];
  for (const part of chunks.flatMap((chunk) => partsIn(candidateOf(chunk)))) {
    if (!isJson(part)) continue;
    const last = parts.at(-1);
    if (last !== undefined && isPlain(last) && isPlain(part) && last["thought"] === part["thought"])
      parts[parts.length - 1] = { ...last, text: `${textOf(last["text"])}${textOf(part["text"])}` };
    else if (!(isPlain(part) && part["text"] === "")) parts.push(part);
  }
  return parts;
}

/** A text, or a thought, and nothing else. */
function isPlain(part: Json): boolean {
  return (
    typeof part["text"] === "string" &&
    Object.keys(part).every((name) => name === "text" || name === "thought")
  );
}

/** What stands in the paths of this API. */

interface AskedByPath {
  readonly model: string;
  readonly method: "generateContent" | "streamGenerateContent" | "countTokens";
}

/** The model stands in the path, at Vertex behind project, place and publisher. */
const PATH =
  /^\/v1(?:beta\d*|alpha)?\/(?:[^?]*\/)?models\/([^/?:]+):(generateContent|streamGenerateContent|countTokens)(?=\?|$)/;

/** What a path of this API asks for; undefined if it is none of those that generate or count. */
export function askedByPath(path: string): AskedByPath | undefined {
  const [, model, method] = PATH.exec(path) ?? [];
  if (model === undefined || method === undefined) return undefined;
  return { model: decoded(model), method: method as AskedByPath["method"] };
}

/** Is the path one of this API, whatever it asks for? Everything else of it is Google's. */
export function isGeminiPath(path: string): boolean {
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
