import { defined } from "../../core/defined.ts";
import { isRecord } from "../../core/is-record.ts";
import { parseJson } from "../../core/parse-json.ts";
import type { ModelMessage, ModelReply, StopReason } from "../../core/types.ts";
import { continuedFields } from "../shared/continued-fields.ts";
import { type Json, listOf, obj, str } from "../shared/fields.ts";
import { allowance, reasoningAllowance } from "../shared/model-traits.ts";
import type { SseEvent } from "../shared/sse.ts";
import { messagesUsage, usageOf } from "../shared/usage.ts";
import type { Body, WireApi, WireSettings } from "../shared/wire-api.ts";

const STOPS: Readonly<Record<string, StopReason>> = {
  end_turn: "end",
  stop_sequence: "end",
  max_tokens: "length",
  // The window was full before the answer was whole.
  model_context_window_exceeded: "length",
  tool_use: "tool-call",
  refusal: "refusal",
};

/** Fields that shape the answer. `metadata` names the end user, and stays. */
const SHAPING: ReadonlySet<string> = new Set([
  ...["stop_sequences", "output_format", "compaction"],
  // The official client takes the beta switches among the parameters; on the wire they are a header.
  "betas",
]);

/** Anthropic Messages. */
export const messagesApi: WireApi = {
  dialect: "anthropic-messages",

  build(request, settings) {
    return {
      body: {
        model: settings.model,
        max_tokens: request.cap + reasoningAllowance(settings.model, settings.window),
        ...defined({ system: request.system }),
        messages: request.messages.reduce<readonly unknown[]>(append, []),
        ...defined({ temperature: settings.temperature }),
        stream: false,
      },
    };
  },

  extend(given, request, settings) {
    const { messages } = given;
    if (!Array.isArray(messages)) return undefined;
    const names = listOf(given["betas"]).filter((beta) => typeof beta === "string");
    return {
      body: {
        ...continuedFields(given, SHAPING),
        messages: request.messages.reduce<readonly unknown[]>(append, messages),
        max_tokens: capOf(request.cap, given, settings),
        // Thinking goes with the default temperature only.
        ...(!isThinking(given) && defined({ temperature: settings.temperature })),
        stream: false,
      },
      ...(names.length === 0 ? {} : { headers: { "anthropic-beta": names.join(",") } }),
    };
  },

  read(json): ModelReply | undefined {
    const body = obj(json);
    const content = body["content"];
    if (!Array.isArray(content)) return undefined;
    const parts = content.filter(isRecord);
    const hasCall = parts.some((part) => part["type"] === "tool_use");
    return {
      text: parts
        .filter((part) => part["type"] === "text")
        .map((part) => str(part["text"]))
        .join(""),
      stop: hasCall ? "tool-call" : (STOPS[str(body["stop_reason"])] ?? "other"),
      usage: usageOf(messagesUsage(body["usage"])),
      ...defined({ model: str(body["model"]) || undefined }),
    };
  },

  assemble(events: readonly SseEvent[]): unknown {
    let start: Json = {};
    let delta: Json = {};
    let usage: Json = {};
    const parts = new Map<unknown, { type: unknown; text: string }>();
    for (const { data } of events) {
      const event = obj(parseJson(data));
      if (event["type"] === "error") return { error: event["error"] };
      if (event["type"] === "message_start") start = obj(event["message"]);
      if (event["type"] === "content_block_start") {
        const part = obj(event["content_block"]);
        parts.set(event["index"], { type: part["type"], text: str(part["text"]) });
      }
      if (event["type"] === "content_block_delta") {
        const part = parts.get(event["index"]);
        if (part) part.text += str(obj(event["delta"])["text"]);
      }
      if (event["type"] === "message_delta") {
        delta = obj(event["delta"]);
        usage = obj(event["usage"]);
      }
    }
    // A stream that ends without a reason was cut on the way.
    if (delta["stop_reason"] === undefined) return undefined;
    return { ...start, ...delta, content: [...parts.values()], usage: { ...obj(start["usage"]), ...usage } };
  },
};

/**
 * Adds a message. Two of the same role in a row are one to Anthropic, and some servers that speak its API refuse them,
 * so words of the user after a user message become a further part of that one; what stands before them stays as it is.
 * Behind a system message among the others only an answer may come, so the words go into that one, too.
 */
function append(messages: readonly unknown[], { role, text }: ModelMessage): readonly unknown[] {
  const last = messages.at(-1);
  const part = { type: "text", text };
  if (!isRecord(last) || (last["role"] !== role && last["role"] !== "system"))
    return [...messages, { role, content: [part] }];
  const { content } = last;
  const before = typeof content === "string" ? [{ type: "text", text: content }] : listOf(content);
  return [...messages.slice(0, -1), { ...last, content: [...before, part] }];
}

function isThinking(given: Body): boolean {
  const { type } = obj(given["thinking"]);
  return type === "enabled" || type === "adaptive";
}

/** The answer's cap counts thinking too, and must be above the thinking budget. */
function capOf(cap: number, given: Body, { model, window }: WireSettings): number {
  const thinking = obj(given["thinking"]);
  const budget = thinking["budget_tokens"];
  if (thinking["type"] === "enabled" && typeof budget === "number") return budget + cap;
  if (thinking["type"] === "disabled") return cap;
  return cap + (thinking["type"] === "adaptive" ? allowance(window) : reasoningAllowance(model, window));
}
