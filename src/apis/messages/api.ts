import type { Dialect, ModelMessage, StopReason } from "../../core/types.ts";
import type { Api, AskSettings } from "../shared/api.ts";
import { isJson, type Json, listOf, numberOf, obj, parseJson, str, textOf } from "../shared/fields.ts";
import { allowance } from "../shared/model-traits.ts";
import { ANTHROPIC } from "../shared/providers.ts";
import { askingBy, capWithRoom, countingBehind, requestsBy } from "../shared/request.ts";
import { knownUsage, messagesUsage } from "../shared/usage.ts";
import { anthropicMessages } from "./index.ts";
import { partsOf, withoutThinking } from "./parts.ts";

const REQUESTS = requestsBy({
  messages: "messages",
  system: "system",
  tools: ["tools"],
  caps: ["max_tokens"],
});

const STOPS: Readonly<Record<string, StopReason>> = {
  end_turn: "end",
  stop_sequence: "end",
  max_tokens: "length",
  // The window was full before the answer was whole.
  model_context_window_exceeded: "length",
  tool_use: "tool-call",
  refusal: "refusal",
};

/** The least that Anthropic lets a model think (tokens). */
const LEAST_THINKING = 1_024;

/** Anthropic's Messages. */
export const messagesApi: Api = {
  api: "messages",
  provider: ANTHROPIC,
  path: "/v1/messages",
  dialect: anthropicMessages as Dialect<unknown>,
  ...REQUESTS,

  withCap(body, cap) {
    const { thinking, max_tokens: asked } = body;
    const thought = isJson(thinking) ? numberOf(thinking["budget_tokens"]) : undefined;
    if (!isJson(thinking) || thought === undefined || thought < cap) return REQUESTS.withCap(body, cap);
    // Thinking is part of the answer, and its own budget must stay below the cap.
    const share = Math.floor((thought / Math.max(thought + 1, numberOf(asked) ?? 0)) * cap);
    if (share < LEAST_THINKING) return REQUESTS.withCap(withoutThinking(body), cap);
    const budget_tokens = Math.min(share, cap - 1);
    return { ...REQUESTS.withCap(body, cap), thinking: { ...thinking, budget_tokens } };
  },

  readAnswer(answer) {
    const { content } = answer;
    return {
      messages: listOf(content).length > 0 ? [{ role: "assistant", content }] : [],
      usage: knownUsage(messagesUsage(answer["usage"])),
      stop: STOPS[str(answer["stop_reason"])] ?? "other",
      id: textOf(answer["id"]),
      model: textOf(answer["model"]),
      ...(!Array.isArray(content) && { isUnfinished: true }),
    };
  },

  assemble: assembleMessage,

  readEvent(event) {
    const delta = obj(event["delta"]);
    const reason = textOf(delta["stop_reason"]);
    return {
      text: textOf(delta["text"]),
      reasoning: textOf(delta["thinking"]),
      // A stream tells the input at its beginning and the output at its end.
      usage: messagesUsage(event["usage"] ?? obj(event["message"])["usage"]),
      isEnd: reason !== undefined || event["type"] === "message_stop",
      ...(reason !== undefined && { stop: STOPS[reason] ?? "other" }),
    };
  },

  counts: countingBehind("/count_tokens", [
    "model",
    "messages",
    "system",
    "tools",
    "tool_choice",
    "thinking",
  ]),

  error(status, { code, message }) {
    const details = OWN_CODES.test(code) && { details: { error_code: code } };
    const type = ERROR_TYPES[status] ?? "invalid_request_error";
    const request_id = `req_${crypto.randomUUID().replaceAll("-", "")}`;
    return { type: "error", error: { type, message, code, ...details }, request_id };
  },
};

/** Codes that are Anthropic's own; its clients act on them. */
const OWN_CODES = /^(?:compaction|thread)_/;

/** Anthropic's names for statuses. */
const ERROR_TYPES: Readonly<Record<number, string>> = {
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  500: "api_error",
  502: "api_error",
  503: "overloaded_error",
  504: "timeout_error",
};

export const askMessages = askingBy(messagesApi, {
  // `metadata` names the end user, and stays. The official client takes the beta switches among the parameters; on the wire they are a header.
  shaping: ["stop_sequences", "output_format", "compaction", "betas"],
  append,
  cap: capOf,
  // Thinking goes with the default temperature only.
  isFixed: ({ thinking }) => ["enabled", "adaptive"].includes(str(obj(thinking)["type"])),
  headers(given) {
    const names = listOf(given["betas"]).filter((beta) => typeof beta === "string");
    return names.length === 0 ? undefined : { "anthropic-beta": names.join(",") };
  },
});

/**
 * Adds a message. Two of the same role in a row are one to Anthropic, and some servers that speak its API refuse them,
 * so words of the user after a user message become a further part of that one; what stands before them stays as it is.
 * Behind a system message among the others only an answer may come, so the words go into that one, too.
 */
function append(messages: readonly unknown[], { role, text }: ModelMessage): readonly unknown[] {
  const last = messages.at(-1);
  const part = { type: "text", text };
  if (!isJson(last) || (last["role"] !== role && last["role"] !== "system"))
    return [...messages, { role, content: [part] }];
  return [...messages.slice(0, -1), { ...last, content: [...partsOf(last["content"]), part] }];
}

/** The answer's cap counts thinking too, and must be above the thinking budget. */
function capOf(cap: number, given: Json | undefined, settings: AskSettings): number {
  const thinking = obj(given?.["thinking"]);
  const budget = numberOf(thinking["budget_tokens"]);
  if (thinking["type"] === "enabled" && budget !== undefined) return budget + cap;
  if (thinking["type"] === "disabled") return cap;
  return thinking["type"] === "adaptive" ? cap + allowance(settings.window) : capWithRoom(cap, settings);
}

/** The message that a streamed answer of Anthropic's adds up to. */
export function assembleMessage(events: readonly Json[]): Json {
  let message: Json = {};
  let usage: Json = {};
  /** By the index that the provider gives, whatever number that is. */
  const content = new Map<number, Record<string, unknown>>();
  const inputs = new Map<number, string>();
  for (const event of events) {
    if (event["type"] === "message_start" && isJson(event["message"])) {
      message = event["message"];
      if (isJson(message["usage"])) usage = message["usage"];
    } else if (event["type"] === "content_block_start" && isJson(event["content_block"])) {
      content.set(numberOf(event["index"]) ?? content.size, { ...event["content_block"] });
    } else if (event["type"] === "content_block_delta" && isJson(event["delta"])) {
      const index = numberOf(event["index"]) ?? 0;
      const part = content.get(index);
      if (part) addDelta(part, event["delta"], index, inputs);
    } else if (event["type"] === "message_delta") {
      if (isJson(event["usage"])) usage = { ...usage, ...event["usage"] };
      if (isJson(event["delta"])) message = { ...message, ...event["delta"] };
    }
  }
  for (const [index, text] of inputs) {
    const part = content.get(index);
    if (part) part["input"] = text.trim() === "" ? {} : (parseJson(text) ?? {});
  }
  const parts = [...content].sort(([a], [b]) => a - b).map(([, part]) => part);
  return { ...message, content: parts, usage };
}

/** Fields that grow by pieces of text, by the type of the delta. */
const GROWS: Readonly<Record<string, string>> = {
  text_delta: "text",
  thinking_delta: "thinking",
  compaction_delta: "content",
};

function addDelta(
  part: Record<string, unknown>,
  delta: Json,
  index: number,
  inputs: Map<number, string>,
): void {
  const type = textOf(delta["type"]) ?? "";
  const field = GROWS[type];
  if (field !== undefined) part[field] = (textOf(part[field]) ?? "") + (textOf(delta[field]) ?? "");
  else if (type === "signature_delta") part["signature"] = delta["signature"];
  else if (type === "input_json_delta")
    inputs.set(index, (inputs.get(index) ?? "") + (textOf(delta["partial_json"]) ?? ""));
  else if (type === "citations_delta")
    part["citations"] = [...(Array.isArray(part["citations"]) ? part["citations"] : []), delta["citation"]];
}
