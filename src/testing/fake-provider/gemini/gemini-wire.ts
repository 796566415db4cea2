import { geminiServed } from "../../../apis/gemini/server.ts";
import { isObject, type Json, obj } from "../../json.ts";
import { type Answer, digest, pieces } from "../answer.ts";
import type { FakeEvent, FakeWire } from "../fake-wire.ts";
import type { CacheUse } from "../prompt-cache.ts";
import { ProviderRefusal } from "../provider-refusal.ts";
import type { FakeRequest } from "../types.ts";
import { fieldsOf, SEAL, validateGemini } from "./validate-gemini.ts";

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
  api: geminiServed,

  accept(given, { model, isCounted }) {
    // Counting takes bare contents, too, or a whole request inside of another object.
    const inner = given["generateContentRequest"];
    const body = isCounted && isObject(inner) ? inner : given;
    validateGemini(body, model);
    const thinking = obj(fieldsOf(obj(fieldsOf(body)["generationConfig"]))["thinkingConfig"]);
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
