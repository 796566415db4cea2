import { defined } from "../../core/defined.ts";
import { isRecord } from "../../core/is-record.ts";
import { parseJson } from "../../core/parse-json.ts";
import type { ModelReply, StopReason } from "../../core/types.ts";
import { continuedFields } from "../shared/continued-fields.ts";
import { type Json, listOf, obj, str } from "../shared/fields.ts";
import { reasoningAllowance } from "../shared/model-traits.ts";
import type { SseEvent } from "../shared/sse.ts";
import { geminiUsage, usageOf } from "../shared/usage.ts";
import type { WireApi } from "../shared/wire-api.ts";

const STOPS: Readonly<Record<string, StopReason>> = {
  STOP: "end",
  MAX_TOKENS: "length",
  SAFETY: "refusal",
  RECITATION: "refusal",
  BLOCKLIST: "refusal",
  PROHIBITED_CONTENT: "refusal",
  SPII: "refusal",
};

/** Settings that shape the answer and have no part in the prompt. */
const SHAPING: ReadonlySet<string> = new Set([
  ...["stopSequences", "responseMimeType", "responseSchema", "responseJsonSchema", "candidateCount"],
  ...["responseModalities", "speechConfig", "imageConfig", "logprobs", "responseLogprobs"],
]);

export const generateContentApi: WireApi = {
  dialect: "gemini-contents",

  build(request, settings) {
    return {
      body: {
        ...(request.system !== undefined && { systemInstruction: { parts: [{ text: request.system }] } }),
        contents: request.messages.reduce<readonly unknown[]>(append, []),
        generationConfig: {
          maxOutputTokens: request.cap + reasoningAllowance(settings.model, settings.window),
          ...defined({ temperature: settings.temperature }),
        },
      },
    };
  },

  extend(given, request, settings) {
    const { contents } = given;
    if (!Array.isArray(contents)) return undefined;
    const config = continuedFields(obj(given["generationConfig"]), SHAPING);
    return {
      body: {
        ...given,
        contents: request.messages.reduce<readonly unknown[]>(append, contents),
        generationConfig: {
          ...config,
          maxOutputTokens: request.cap + reasoningAllowance(settings.model, settings.window),
          ...defined({ temperature: settings.temperature }),
        },
      },
    };
  },

  read(json): ModelReply | undefined {
    const body = obj(json);
    const candidate = obj(listOf(body["candidates"])[0]);
    const blocked = obj(body["promptFeedback"])["blockReason"];
    if (!isRecord(candidate["content"]) && candidate["finishReason"] === undefined && blocked === undefined)
      return undefined;
    const parts = listOf(obj(candidate["content"])["parts"]).filter(isRecord);
    const hasCall = parts.some((part) => isRecord(part["functionCall"]));
    const stop = STOPS[str(candidate["finishReason"])] ?? "other";
    return {
      text: parts
        .filter((part) => part["thought"] !== true)
        .map((part) => str(part["text"]))
        .join(""),
      stop: blocked !== undefined ? "refusal" : hasCall ? "tool-call" : stop,
      usage: usageOf(geminiUsage(body["usageMetadata"])),
      ...defined({ model: str(body["modelVersion"]) || undefined }),
    };
  },

  assemble(events: readonly SseEvent[]): unknown {
    const chunks = events.map(({ data }) => obj(parseJson(data)));
    const failed = chunks.find((chunk) => chunk["error"] !== undefined);
    if (failed) return { error: failed["error"] };
    const candidates = chunks.map((chunk) => obj(listOf(chunk["candidates"])[0]));
    const finishReason = candidates.findLast((one) => one["finishReason"] !== undefined)?.["finishReason"];
    // A stream that ends without a reason was cut on the way.
    if (finishReason === undefined) return undefined;
    const parts = candidates.flatMap((one) => listOf(obj(one["content"])["parts"]));
    return { ...chunks.at(-1), candidates: [{ content: { role: "model", parts }, finishReason }] };
  },
};

/** Adds a message. Words of the user behind a message of the user become a further part of it. */
function append(
  contents: readonly unknown[],
  { role, text }: { readonly role: string; readonly text: string },
): readonly unknown[] {
  const named = role === "assistant" ? "model" : "user";
  const last: Json = obj(contents.at(-1));
  if (contents.length === 0 || (last["role"] ?? "user") !== named)
    return [...contents, { role: named, parts: [{ text }] }];
  return [...contents.slice(0, -1), { ...last, parts: [...listOf(last["parts"]), { text }] }];
}
