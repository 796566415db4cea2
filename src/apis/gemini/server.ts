import type { ServedApi } from "../shared/api.ts";
import { isJson, type Json, listOf, numberOf, textOf } from "../shared/fields.ts";
import {
  createEndBuffer,
  type HostedResult,
  type IsHosted,
  type OwnTools,
  plainFunctionOf,
  type StreamSplice,
  type ToolHosting,
  USUAL_HOSTING,
} from "../shared/hosting.ts";
import { GOOGLE } from "../shared/providers.ts";
import {
  askedByPath,
  askGemini,
  candidateOf,
  geminiApi,
  isGeminiPath,
  partsIn,
  requestIn,
  withConfig,
} from "./api.ts";
import { fieldOf, unnamedCallId } from "./read.ts";

/** `behavior` is only for calls that nobody waits for. */
const FUNCTION_FIELDS: ReadonlySet<string> = new Set([
  "name",
  "description",
  "parameters",
  "parametersJsonSchema",
  "parameters_json_schema",
  "response",
  "responseJsonSchema",
  "response_json_schema",
]);
/** What leaves it to the model whether it calls, or forbids it for once. */
const FREE_MODES: ReadonlySet<unknown> = new Set(["AUTO", "NONE", "VALIDATED", "MODE_UNSPECIFIED"]);
/** Stands between the words of two rounds, which are one text for the client. */
const BETWEEN = "\n\n";
/** Google's word for a missing signature: that of several calls stands on the first, which may have been ours. */
const UNSIGNED = "skip_thought_signature_validator";

const geminiHosting: ToolHosting = {
  ...USUAL_HOSTING,

  refusal(given, path) {
    const body = requestIn(given);
    // A stream that is one JSON list can't be taken apart while it comes.
    if (path.includes(":streamGenerateContent") && !/[?&]alt=sse\b/.test(path)) return "list-stream";
    const config = fieldOf(body, "generationConfig");
    if ((numberOf(fieldOf(config, "candidateCount")) ?? 1) > 1) return "several-answers";
    const tools = listOf(body["tools"]);
    // Models refuse functions beside Google's own tools, and beside an answer that must be JSON.
    if (tools.some((tool) => declaredIn(tool) === undefined)) return "provider-tools";
    const isJsonAlone = tools.length === 0 && fieldOf(config, "responseMimeType") === "application/json";
    return isJsonAlone ? "json-answer" : undefined;
  },

  tools: (body) =>
    listOf(requestIn(body)["tools"]).flatMap((tool): readonly unknown[] => declaredIn(tool) ?? [tool]),

  withTools(body, functionDeclarations) {
    const request = requestIn(body);
    const offered = { ...request, tools: [{ functionDeclarations }] };
    return request === body ? offered : { ...body, generateContentRequest: offered };
  },

  declare: ({ name, description, parameters }) => ({ name, description, parametersJsonSchema: parameters }),

  plainFunction: (tool) => plainFunctionOf(tool, FUNCTION_FIELDS),

  choice(body) {
    const config = fieldOf(fieldOf(requestIn(body), "toolConfig"), "functionCallingConfig");
    if (listOf(fieldOf(config, "allowedFunctionNames")).length > 0) return "named";
    const { mode = "AUTO" } = isJson(config) ? config : {};
    if (mode === "ANY") return "any";
    return FREE_MODES.has(mode) ? "free" : "named";
  },

  results: (results) => [{ role: "user", parts: results.map(responsePart) }],

  // All answers of one message's calls stand in the next one.
  joined: (before, after) =>
    isUser(before) && isUser(after)
      ? { ...after, parts: [...listOf(before["parts"]), ...listOf(after["parts"])] }
      : undefined,

  join(answers, { isHosted }) {
    const last = answers.at(-1) ?? {};
    const showing = shower(isHosted);
    const parts = answers.flatMap((answer, index) => {
      if (index > 0) showing.nextRound();
      return showing.shown(partsIn(candidateOf(answer)));
    });
    return withParts(last, candidateOf(last), parts.length > 0 ? parts : [{ text: "" }]);
  },

  splice: spliceGemini,
};

/** The functions of a tool; undefined: it is one of Google's own, or has one beside them. */
function declaredIn(tool: unknown): readonly Json[] | undefined {
  const declared = fieldOf(tool, "functionDeclarations");
  const isAlone = Array.isArray(declared) && Object.keys(tool as Json).length === 1;
  return isAlone ? declared.filter(isJson) : undefined;
}

function isUser(message: unknown): message is Json {
  return isJson(message) && message["role"] !== "model";
}

/** Older models give their calls no ids, and want none back. */
function responsePart({ id, name, text }: HostedResult): Json {
  return {
    functionResponse: { ...(id !== unnamedCallId(name) && { id }), name, response: { output: text } },
  };
}

function withParts(chunk: Json, candidate: Json, parts: readonly Json[]): Json {
  const [, ...others] = listOf(chunk["candidates"]);
  const content = isJson(candidate["content"]) ? candidate["content"] : { role: "model" };
  return { ...chunk, candidates: [{ ...candidate, content: { ...content, parts } }, ...others] };
}

/** Chooses what a client is shown of the parts of one answer after the other. */
function shower(isHosted: IsHosted): {
  shown(parts: readonly unknown[]): readonly Json[];
  nextRound(): void;
} {
  let hasText = false;
  let isBetween = false;
  /** A call of ours took the signature of this round with it. */
  let isUnsigned = false;
  const show = (part: Json): readonly Json[] => {
    const call = fieldOf(part, "functionCall");
    if (isJson(call)) {
      const isSigned = fieldOf(part, "thoughtSignature") !== undefined;
      if (isHosted(call["name"])) {
        isUnsigned ||= isSigned;
        return [];
      }
      const signs = isUnsigned && !isSigned;
      isUnsigned = false;
      return [signs ? { ...part, thoughtSignature: UNSIGNED } : part];
    }
    const text = textOf(part["text"]) ?? "";
    if (text === "" || part["thought"] === true) return [part];
    hasText = true;
    if (!isBetween) return [part];
    isBetween = false;
    return [{ ...part, text: BETWEEN + text }];
  };
  return {
    shown: (parts) => parts.filter(isJson).flatMap(show),
    nextRound() {
      isBetween = hasText;
      isUnsigned = false;
    },
  };
}

function spliceGemini({ isHosted }: OwnTools): StreamSplice {
  const showing = shower(isHosted);
  /** The first round names the answer for all. */
  let id: unknown;
  const buffered = createEndBuffer();
  return {
    event(event) {
      if (event["error"] != null) return [event];
      id ??= event["responseId"];
      const named = id === undefined ? event : { ...event, responseId: id };
      const { finishReason, ...candidate } = candidateOf(event);
      const given = partsIn(candidate);
      const parts = showing.shown(given);
      if (finishReason === undefined) {
        const isOurs = given.length > 0 && parts.length === 0;
        return isOurs ? [] : [given.length > 0 ? withParts(named, candidate, parts) : named];
      }
      const freed = buffered.hold(withParts(named, { ...candidate, finishReason }, [{ text: "" }]));
      const says = parts.some((part) => part["text"] !== "" || Object.keys(part).length > 1);
      return says ? [...freed, withParts(named, candidate, parts)] : freed;
    },
    forget() {},
    nextRound() {
      showing.nextRound();
      buffered.clear();
    },
    end: () => buffered.events,
  };
}

export const geminiServed: ServedApi = {
  ...geminiApi,
  // Its streams just end: the last chunk looks like the others.
  endMarkers: [],
  streamsLists: true,
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
  },
  withoutThinking: (body) =>
    withConfig(body, ({ thinkingConfig: _, thinking_config: __, ...config }) => config),
  chat: {
    fields: {},
    cap: undefined,
    request: ({ temperature }) => (temperature === undefined ? {} : { generationConfig: { temperature } }),
  },
  isSpokenBy: (headers) => headers[GOOGLE.keyHeader] !== undefined,
  asking: askGemini,
  movesLaterSystem: false,
  hosting: geminiHosting,
  // What the provider has in its cache stands before everything else, and nobody else knows it.
  isPartial: (body) => typeof fieldOf(body, "cachedContent") === "string",
  counting: {
    path: "/v1beta/models",
    answer: ({ input }) => ({
      totalTokens: input,
      promptTokensDetails: [{ modality: "TEXT", tokenCount: input }],
    }),
  },
};
