import { geminiApi } from "../../../apis/gemini/api.ts";
import { isObject, type Json, obj, objects } from "../../json.ts";
import { type Answer, pieces } from "../answer.ts";
import { digest } from "../digest.ts";
import type { FakeEvent, FakeWire } from "../fake-wire.ts";
import { type Prompt, PromptBuilder } from "../prompt.ts";
import type { CacheUse } from "../prompt-cache.ts";
import { ProviderRefusal } from "../provider-refusal.ts";
import type { FakeBody, FakeRequest } from "../types.ts";
import { fieldsOf, partsOf, readPart, responseOf, SEAL } from "./parts.ts";
import { toolNames, validateGemini } from "./validate-gemini.ts";

const STOPS: Readonly<Record<Answer["stop"], string>> = {
  end: "STOP",
  length: "MAX_TOKENS",
  window: "MAX_TOKENS",
  refusal: "PROHIBITED_CONTENT",
  "content-filter": "SAFETY",
  "tool-call": "STOP",
};
/** Models that give their calls ids and signatures. */
const SIGNS = /^gemini-(?:[3-9]|\d\d)/;

/** Gemini's `generateContent` and `streamGenerateContent`. */
export const geminiWire: FakeWire = {
  api: geminiApi,

  accept(given, { count, model, isCounted }) {
    // Counting takes bare contents, too, or a whole request inside of another object.
    const inner = given["generateContentRequest"];
    const body = isCounted && isObject(inner) ? inner : given;
    validateGemini(body, model);
    const thinking = obj(fieldsOf(obj(fieldsOf(body)["generationConfig"]))["thinkingConfig"]);
    return {
      prompt: readPrompt(body, count),
      notes: { thinks: fieldsOf(thinking)["includeThoughts"] === true },
    };
  },

  tooLong(tokens, _cap, { window }) {
    if (tokens <= window) return undefined;
    return new ProviderRefusal(
      `The input token count (${tokens}) exceeds the maximum number of tokens allowed (${window}).`,
    );
  },

  counted: (totalTokens) => ({
    totalTokens,
    promptTokensDetails: [{ modality: "TEXT", tokenCount: totalTokens }],
  }),

  json(answer, use, request, { notes }) {
    return chunk(answer, use, request, partsFor(answer, request, notes["thinks"] === true), true);
  },

  events(answer, use, request, { notes }): FakeEvent[] {
    const parts = partsFor(answer, request, notes["thinks"] === true).flatMap(inPieces);
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

/** A request as the model reads it. */
function readPrompt(given: FakeBody, count: (text: string) => number): Prompt {
  const body = fieldsOf(given);
  const prompt = new PromptBuilder(count);
  const system = partsOf(obj(body["systemInstruction"]));
  for (const [index, part] of system.entries())
    prompt.part("system", { wire: part, read: readPart(part), first: index === 0 });
  if (system.length > 0) prompt.message("system", system.map(readPart).join("\n"));
  for (const tool of objects(body["tools"])) prompt.json("tools", tool);
  const contents = isObject(body["contents"]) ? [body["contents"]] : objects(body["contents"]);
  for (const message of contents) {
    const parts = partsOf(message).filter((part) => part["thought"] !== true);
    const isResults = parts.length > 0 && parts.every((part) => responseOf(part));
    const role = message["role"] === "model" ? "assistant" : isResults ? "tool" : "user";
    for (const [at, part] of parts.entries()) {
      const fields = fieldsOf(part);
      const image = fields["inlineData"] !== undefined || fields["fileData"] !== undefined;
      prompt.part(role, { wire: part, read: image ? "" : readPart(part), image, first: at === 0 });
    }
    prompt.message(role, parts.map(readPart).join("\n"));
  }
  return {
    pieces: prompt.pieces,
    messages: prompt.messages,
    tools: toolNames(body),
  };
}
