import { randomUUID } from "node:crypto";
import type { Dialect } from "../../../core/types.ts";
import { anthropicMessages } from "../../../dialects/index.ts";
import { anthropic } from "../../../models/index.ts";
import { MESSAGES_COUNTING } from "../../../models/shared/counting.ts";
import { knownUsage, messagesUsage } from "../../../models/shared/usage.ts";
import { isJson, type Json, listOf, numberOf, textOf } from "../../http/json.ts";
import { RequestFault } from "../../http/request-fault.ts";
import { askCount } from "../shared/ask-count.ts";
import { readEvents } from "../shared/events.ts";
import { readingHidden } from "../shared/hidden-rounds.ts";
import { rememberReads } from "../shared/remember-reads.ts";
import { rewrittenMessages } from "../shared/rewritten-messages.ts";
import type { Wire, WireAnswer } from "../wire.ts";
import { assembleMessage } from "./assemble-message.ts";
import { withLoopThinking, withoutThinking } from "./loop-thinking.ts";
import { messagesHosting } from "./messages-hosting.ts";
import { messagesNative } from "./messages-native.ts";

/** Anthropic wants a cap; this is what a chat gets that doesn't set one (tokens). */
const DEFAULT_MAX_TOKENS = 4_096;

/** Anthropic's Messages. */
export const messagesWire: Wire = {
  api: "messages",
  path: "/v1/messages",
  dialect: rememberReads(readingHidden(anthropicMessages as Dialect<unknown>)),
  endMarkers: ["message_stop"],
  inputField: "input_tokens",

  read(body) {
    if (!Array.isArray(body["messages"]))
      throw new RequestFault(400, "invalid", "`messages` is missing or isn't a list.");
    return {
      model: textOf(body["model"]) ?? "",
      transcript: body["messages"] as readonly unknown[],
      system: body["system"],
      tools: body["tools"],
      streamed: body["stream"] === true,
      cap: numberOf(body["max_tokens"]),
    };
  },

  write: (body, view) => ({
    ...body,
    messages: rewrittenMessages(messagesWire.dialect, body["messages"], view.messages),
    ...(view.system !== undefined && { system: view.system }),
  }),

  withoutThinking,
  withLoopThinking,

  withCap(body, cap) {
    const { thinking, max_tokens: asked } = body;
    const thought = isJson(thinking) ? numberOf(thinking["budget_tokens"]) : undefined;
    if (!isJson(thinking) || thought === undefined || thought < cap) return { ...body, max_tokens: cap };
    // Thinking is part of the answer, and its own budget must stay below the cap.
    const share = Math.floor((thought / Math.max(thought + 1, numberOf(asked) ?? 0)) * cap);
    if (share < LEAST_THINKING) return { ...withoutThinking(body), max_tokens: cap };
    return { ...body, max_tokens: cap, thinking: { ...thinking, budget_tokens: Math.min(share, cap - 1) } };
  },

  readJson(answer) {
    return answerOf(answer, answer["content"], answer["usage"]);
  },

  readStream(text) {
    const { message, usage } = assembleMessage(readEvents(text));
    return answerOf(message, message["content"], usage);
  },

  withUsage(data, change) {
    if (isJson(data["usage"])) return { ...data, usage: change(data["usage"]) };
    const message = data["message"];
    if (!isJson(message) || !isJson(message["usage"])) return undefined;
    return { ...data, message: { ...message, usage: change(message["usage"]) } };
  },

  error(status, { code, message }) {
    const details = OWN_CODES.test(code) && { details: { error_code: code } };
    const type = ERROR_TYPES[status] ?? "invalid_request_error";
    return { type: "error", error: { type, message, code, ...details }, request_id: requestId() };
  },

  brokenOff: (status, error) =>
    `event: error\ndata: ${JSON.stringify(messagesWire.error(status, error))}\n\n`,

  delta({ type, delta, error }) {
    if (type === "error" && isJson(error))
      return { error: textOf(error["message"]) ?? JSON.stringify(error) };
    if (type === "message_stop") return { isEnd: true };
    if (!isJson(delta)) return undefined;
    return {
      text: textOf(delta["text"]),
      reasoning: textOf(delta["thinking"]),
      isEnd: textOf(delta["stop_reason"]) !== undefined,
    };
  },

  chat: { fields: {}, cap: DEFAULT_MAX_TOKENS },
  isSpokenBy: (headers) => headers["anthropic-version"] !== undefined,
  isProvider: (hostname) => hostname === "api.anthropic.com",
  convention: "anthropic",
  summarizer: ({ addressOf, isSame: _, ...shared }) =>
    anthropic({ ...shared, baseURL: addressOf("/v1/messages").replace(/\/messages(?=\?|$)/, "") }),
  movesLaterSystem: true,
  native: messagesNative,
  hosting: messagesHosting,

  counting: {
    path: "/v1/messages/count_tokens",
    answer: ({ input, original, hasEdits, isBeta }) => ({
      input_tokens: input,
      ...((hasEdits || isBeta) && {
        context_management: hasEdits ? { original_input_tokens: original } : null,
      }),
    }),
    ask: askCount(MESSAGES_COUNTING),
    told: ({ input_tokens }) => numberOf(input_tokens),
  },
};

/** Codes that are Anthropic's own; its clients act on them. */
const OWN_CODES = /^(?:compaction|thread)_/;

/** The least that Anthropic lets a model think (tokens). */
const LEAST_THINKING = 1_024;

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

/** Names a request that was answered here, in Anthropic's form. */
function requestId(): string {
  return `req_${randomUUID().replaceAll("-", "")}`;
}

function answerOf(answer: Json, content: unknown, usage: unknown): WireAnswer {
  return {
    messages: listOf(content).length > 0 ? [{ role: "assistant", content }] : [],
    usage: knownUsage(messagesUsage(usage)),
    id: textOf(answer["id"]),
    ...(answer["stop_reason"] === "max_tokens" && { isCutOff: true }),
  };
}
