import { defined } from "../../core/defined.ts";
import { isRecord } from "../../core/is-record.ts";
import { parseJson } from "../../core/parse-json.ts";
import type { ModelMessage, ModelReply, StopReason } from "../../core/types.ts";
import { continuedFields } from "../shared/continued-fields.ts";
import { type Json, listOf, obj, str } from "../shared/fields.ts";
import { reasoningAllowance } from "../shared/model-traits.ts";
import type { SseEvent } from "../shared/sse.ts";
import { responsesUsage, usageOf } from "../shared/usage.ts";
import type { WireApi } from "../shared/wire-api.ts";

/** The least that the API takes as an answer's cap. */
const MIN_CAP = 16;
/** Events that carry the whole response. */
const FINAL = new Set(["response.completed", "response.incomplete", "response.failed"]);

/** Fields that shape or keep the answer and have no part in the prompt. `truncation` would leave out messages unseen. */
const SHAPING: ReadonlySet<string> = new Set([
  ...["background", "include", "top_logprobs", "metadata", "truncation", "stream_options"],
  ...["presence_penalty", "frequency_penalty"],
]);

/** OpenAI Responses. */
export const responsesApi: WireApi = {
  dialect: "openai-responses",

  build(request, settings) {
    return {
      body: {
        model: settings.model,
        ...defined({ instructions: request.system }),
        input: request.messages.map(item),
        max_output_tokens: Math.max(
          MIN_CAP,
          request.cap + reasoningAllowance(settings.model, settings.window),
        ),
        ...defined({ temperature: settings.temperature }),
        metadata: { name: request.name },
        // What is summarised is somebody's conversation: it isn't kept at the provider.
        store: false,
        stream: false,
      },
    };
  },

  extend(given, request, settings) {
    const { input } = given;
    const before = typeof input === "string" ? [{ role: "user", content: input }] : input;
    if (!Array.isArray(before)) return undefined;
    return {
      body: {
        ...continuedFields(given, SHAPING),
        input: [...before, ...request.messages.map(item)],
        ...defined({ temperature: settings.temperature }),
        max_output_tokens: Math.max(
          MIN_CAP,
          request.cap + reasoningAllowance(settings.model, settings.window),
        ),
        store: false,
        stream: false,
      },
    };
  },

  read(json): ModelReply | undefined {
    const body = obj(json);
    const output = body["output"];
    if (!Array.isArray(output) || body["status"] === "queued" || body["status"] === "in_progress")
      return undefined;
    const items = output.filter(isRecord);
    const parts = items
      .filter((part) => part["type"] === "message")
      .flatMap((part) => listOf(part["content"]).map(obj));
    return {
      text: parts
        .filter((part) => part["type"] === "output_text")
        .map((part) => str(part["text"]))
        .join(""),
      stop: stopOf(body, items, parts),
      usage: usageOf(responsesUsage(body["usage"])),
      ...defined({ model: str(body["model"]) || undefined }),
    };
  },

  assemble(events: readonly SseEvent[]): unknown {
    for (const { data } of events) {
      const event = obj(parseJson(data));
      if (event["type"] === "error") return { error: event["error"] ?? event };
      if (FINAL.has(str(event["type"]))) return event["response"];
    }
    return undefined;
  },
};

const item = ({ role, text }: ModelMessage): Json => ({ role, content: text });

function stopOf(body: Json, items: readonly Json[], parts: readonly Json[]): StopReason {
  if (items.some((entry) => /_call$/.test(str(entry["type"])))) return "tool-call";
  if (parts.some((part) => part["type"] === "refusal")) return "refusal";
  if (body["status"] !== "incomplete")
    return body["status"] === "completed" || body["status"] === undefined ? "end" : "other";
  const reason = str(obj(body["incomplete_details"])["reason"]);
  return reason === "content_filter" ? "refusal" : reason === "max_output_tokens" ? "length" : "other";
}
