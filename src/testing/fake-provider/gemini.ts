import { geminiServed } from "../../apis/gemini/server.ts";
import { isObject, type Json, obj, objects, str } from "../json.ts";
import { type Answer, digest, type FakeEvent, type FakeWire, pieces } from "./fake-wire.ts";
import type { CacheUse } from "./prompt.ts";
import { demand, demandRules, ProviderRefusal } from "./refusals.ts";
import type { FakeBody, FakeRequest } from "./types.ts";

const STOPS: Readonly<Record<Answer["stop"], string>> = {
  end: "STOP",
  length: "MAX_TOKENS",
  window: "MAX_TOKENS",
  refusal: "PROHIBITED_CONTENT",
  "content-filter": "SAFETY",
  "tool-call": "STOP",
};
/** Google's names for statuses. */
const STATUSES: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  503: "UNAVAILABLE",
};
/** Models that give their calls ids and signatures, and want them back in the turn that is under way. */
const SIGNS = /^gemini-(?:[3-9]|\d\d)/;

/** Gemini's `generateContent` and `streamGenerateContent`. */
export const geminiWire: FakeWire = {
  api: geminiServed,
  callPrefix: "fc_",

  refusal: ({ status, message }) => ({
    error: { code: status, message, status: STATUSES[status] ?? "INTERNAL" },
  }),

  accept(given, { model, isCounted, maxOutput }) {
    // Counting takes bare contents, too, or a whole request inside of another object.
    const inner = given["generateContentRequest"];
    const body = isCounted && isObject(inner) ? inner : given;
    validateGemini(body, model);
    const config = fieldsOf(obj(fieldsOf(body)["generationConfig"]));
    const { maxOutputTokens: cap } = config;
    demand(
      typeof cap !== "number" || (cap >= 1 && cap <= maxOutput),
      `Unable to submit request because it has a maxOutputTokens value of ${String(cap)} but the supported range is from 1 (inclusive) to ${maxOutput + 1} (exclusive). Update the value and try again.`,
    );
    const thinking = obj(config["thinkingConfig"]);
    return { body, thinks: fieldsOf(thinking)["includeThoughts"] === true };
  },

  tooLong(tokens, _cap, { window }) {
    if (tokens <= window) return undefined;
    return new ProviderRefusal(
      `The input token count (${tokens}) exceeds the maximum number of tokens allowed (${window}).`,
    );
  },

  json(answer, use, request, { thinks }) {
    return chunk(answer, use, request, partsFor(answer, request, thinks === true), true);
  },

  events(answer, use, request, { thinks }): FakeEvent[] {
    const parts = partsFor(answer, request, thinks === true).flatMap(inPieces);
    const last: Json = { text: "" };
    return [...parts, last].map((part, index, all) => ({
      data: chunk(answer, use, request, [part], index === all.length - 1),
    }));
  },
};

/** Texts are streamed in pieces, the signature with an empty one behind them. Calls come whole. */
function inPieces(part: Json): Json[] {
  const { text, thoughtSignature, ...rest } = part;
  if (typeof text !== "string") return [part];
  const signature = thoughtSignature === undefined ? [] : [{ text: "", thoughtSignature }];
  return [...pieces(text).map((piece) => ({ ...rest, text: piece })), ...signature];
}

function partsFor(answer: Answer, { model, number }: FakeRequest, thinks: boolean): Json[] {
  const seal = SIGNS.test(model) ? { thoughtSignature: `${SEAL}${digest(number, answer.id)}` } : {};
  const calls = answer.calls.map(({ id, name, args }, index): Json => {
    const functionCall = { ...(SIGNS.test(model) && { id }), name, args: JSON.parse(args) as unknown };
    // Of parallel calls, the first one carries the signature.
    return { functionCall, ...(index === 0 && seal) };
  });
  return [
    ...(thinks && answer.reasoning !== "" ? [{ text: answer.reasoning, thought: true }] : []),
    ...(answer.text === "" ? [] : [{ text: answer.text, ...(calls.length === 0 && seal) }]),
    ...calls,
  ];
}

function chunk(
  answer: Answer,
  use: CacheUse,
  request: FakeRequest,
  parts: readonly Json[],
  isLast: boolean,
): Json {
  return {
    candidates: [
      { content: { role: "model", parts }, ...(isLast && { finishReason: STOPS[answer.stop] }), index: 0 },
    ],
    usageMetadata: {
      promptTokenCount: use.input,
      ...(use.cacheRead > 0 && { cachedContentTokenCount: use.cacheRead }),
      ...(isLast && { candidatesTokenCount: answer.outputTokens - answer.reasoningTokens }),
      ...(isLast && answer.reasoningTokens > 0 && { thoughtsTokenCount: answer.reasoningTokens }),
      totalTokenCount: use.input + (isLast ? answer.outputTokens : 0),
      promptTokensDetails: [{ modality: "TEXT", tokenCount: use.input }],
    },
    modelVersion: request.model,
    responseId: answer.id,
  };
}

const BODY = new Set([
  ...["contents", "systemInstruction", "tools", "toolConfig", "safetySettings", "generationConfig"],
  ...["cachedContent", "labels", "serviceTier", "model"],
]);
const CONTENT = new Set(["role", "parts"]);
const PART = new Set([
  ...["text", "thought", "thoughtSignature", "inlineData", "fileData", "functionCall", "functionResponse"],
  ...[
    "executableCode",
    "codeExecutionResult",
    "toolCall",
    "toolResponse",
    "videoMetadata",
    "mediaResolution",
  ],
  "partMetadata",
]);
/** Fields of a part that it can't be without. */
const DATA = [...PART].filter(
  (name) => !/^(?:thought|videoMetadata|mediaResolution|partMetadata)/.test(name),
);

/** Refuses what Gemini refuses, in its words. */
export function validateGemini(body: FakeBody, model: string): void {
  refuseUnknown(body, BODY, "");
  const contents = fieldsOf(body)["contents"];
  const list = Array.isArray(contents) ? contents : [contents];
  demand(
    contents !== undefined && list.length > 0,
    "* GenerateContentRequest.contents: contents is not specified\n",
  );
  demand(list.every(isObject), "Invalid value at 'contents'");
  const messages = list as readonly Json[];
  checkContents(messages);
  checkCalls(messages, SIGNS.test(model));
}

function refuseUnknown(value: Json, known: ReadonlySet<string>, at: string): void {
  for (const name of Object.keys(fieldsOf(value)))
    demand(
      known.has(name),
      `Invalid JSON payload received. Unknown name "${name}"${at === "" ? "" : ` at '${at}'`}: Cannot find field.`,
    );
}

function checkContents(messages: readonly Json[]): void {
  for (const [index, message] of messages.entries()) {
    refuseUnknown(message, CONTENT, `contents[${index}]`);
    const role = message["role"] ?? "user";
    demand(
      role === "user" || role === "model" || role === "function",
      "Please use a valid role: user, model.",
    );
    const parts = partsOf(message);
    demand(
      parts.length > 0,
      `* GenerateContentRequest.contents[${index}].parts: contents.parts must not be empty.\n`,
    );
    for (const [at, part] of parts.entries()) {
      const place = `contents[${index}].parts[${at}]`;
      refuseUnknown(part, PART, place);
      const fields = fieldsOf(part);
      demand(
        DATA.some((name) => fields[name] !== undefined) || isSigned(part),
        `* GenerateContentRequest.${place}.data: required oneof field 'data' must have one initialized field\n`,
      );
      const call = callOf(part) ?? responseOf(part);
      demand(
        call === undefined || str(call["name"]) !== "",
        `* GenerateContentRequest.${place}.function_call.name: Name cannot be empty.\n`,
      );
    }
  }
  const says = messages.some((message) =>
    partsOf(message).some((part) => str(part["text"]) !== "" || !("text" in part)),
  );
  demand(says, "Unable to submit request because it must have a text parameter.");
}

/**
 * Neighbours of the model are one message to the provider, whose own clients store streams in pieces. The user's aren't joined: a
 * question right behind the answers of functions begins a turn.
 */
function joined(messages: readonly Json[]): Json[] {
  const list: Json[] = [];
  for (const message of messages) {
    const last = list.at(-1);
    if (last?.["role"] === "model" && message["role"] === "model")
      list[list.length - 1] = { ...last, parts: [...partsOf(last), ...partsOf(message)] };
    else list.push(message);
  }
  return list;
}

/** Signatures that the provider didn't make are none. */
const withOwnSignatures = (part: Json): Json =>
  isSigned(part) ? part : { ...part, thoughtSignature: undefined, thought_signature: undefined };

function checkCalls(messages: readonly Json[], wantsSignatures: boolean): void {
  const list = joined(messages).map((message) => ({
    ...message,
    parts: partsOf(message).map(withOwnSignatures),
  }));
  const [first] = list;
  demand(
    first?.parts.some((part) => callOf(part)) !== true,
    "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
  );
  demandRules("gemini-contents", list, {
    "orphan-result": () =>
      new ProviderRefusal(
        "Please ensure that function response turn comes immediately after a function call turn.",
      ),
    "unanswered-call": () =>
      new ProviderRefusal(
        "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
      ),
  });
  if (!wantsSignatures) return;
  demandRules("gemini-contents", list, {
    "missing-signature": (at) => {
      const name = str(list[at]?.parts.map(callOf).find((call) => call)?.["name"]);
      return new ProviderRefusal(
        `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${name}\` , position ${at + 1}. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.`,
      );
    },
  });
}

/** What Google's API takes for the signature of a call that its model didn't make. */
const SKIPS = new Set(["skip_thought_signature_validator", "context_engineering_is_the_way_to_go"]);
/** What signatures of the fake begin with. */
const SEAL = "sig.";

/** An object with its fields in camel case: the API takes both spellings. */
function fieldsOf(value: Json): Json {
  const names = Object.keys(value);
  if (!names.some((name) => name.includes("_"))) return value;
  const camel = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(names.map((name) => [camel(name), value[name]]));
}

function partsOf(message: Json): readonly Json[] {
  const parts = message["parts"];
  return isObject(parts) ? [parts] : objects(parts);
}

function callOf(part: Json): Json | undefined {
  const call = fieldsOf(part)["functionCall"];
  return isObject(call) ? call : undefined;
}

function responseOf(part: Json): Json | undefined {
  const response = fieldsOf(part)["functionResponse"];
  return isObject(response) ? response : undefined;
}

function isSigned(part: Json): boolean {
  const signature = str(fieldsOf(part)["thoughtSignature"]);
  return signature.startsWith(SEAL) || SKIPS.has(signature);
}
