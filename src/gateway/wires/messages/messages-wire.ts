import { randomUUID } from "node:crypto";
import { anthropicMessages } from "../../../apis/index.ts";
import { assembleMessage } from "../../../apis/messages/assemble.ts";
import { messagesHosting } from "../../../apis/messages/hosting.ts";
import { messagesNative } from "../../../apis/messages/native.ts";
import { partsOf } from "../../../apis/messages/replay.ts";
import { MESSAGES_COUNTING } from "../../../apis/shared/counting.ts";
import { readEvents } from "../../../apis/shared/events.ts";
import { isJson, type Json, listOf, numberOf, textOf } from "../../../apis/shared/fields.ts";
import { knownUsage, messagesUsage } from "../../../apis/shared/usage.ts";
import { anthropic } from "../../../models/index.ts";
import { RequestFault } from "../../http/request-fault.ts";
import { askCount } from "../shared/ask-count.ts";
import { rewrittenMessages, wireDialect } from "../shared/wire-dialect.ts";
import type { Wire, WireAnswer } from "../wire.ts";

/** Anthropic wants a cap; this is what a chat gets that doesn't set one (tokens). */
const DEFAULT_MAX_TOKENS = 4_096;

export const messagesWire: Wire = {
  api: "messages",
  path: "/v1/messages",
  dialect: wireDialect(anthropicMessages),
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

/**
 * Anthropic refuses thoughts of the tool loop under way in a request that doesn't think, so they leave with it. A model that decides
 * itself when it thinks needs none of them.
 */
function withoutThinking(body: Json): Json {
  if (isJson(body["thinking"]) && body["thinking"]["type"] !== "enabled") return body;
  const { thinking: _, context_management: management, messages, ...rest } = body;
  const bare = { ...rest, messages: withoutThoughts(listOf(messages)) };
  if (!isJson(management)) return bare;
  // Clearing of thinking is refused where there is none.
  const edits = listOf(management["edits"]).filter(
    (edit) => !(isJson(edit) && textOf(edit["type"])?.startsWith("clear_thinking")),
  );
  return edits.length === 0 ? bare : { ...bare, context_management: { ...management, edits } };
}

/**
 * The request without thinking where its tool loop under way doesn't begin with a thought: Anthropic refuses such a loop where a budget
 * for thinking is set. The model may have called a tool of precis's own without one, or thinking was off when the loop began.
 */
function withLoopThinking(body: Json): Json {
  const { thinking } = body;
  if (!isJson(thinking) || thinking["type"] !== "enabled") return body;
  const messages = listOf(body["messages"]);
  const first = messages.slice(loopStart(messages)).find(isAnswer);
  return first === undefined || isThought(partsOf(first["content"])[0]) ? body : withoutThinking(body);
}

/** Where the tool loop under way begins, behind the user's last words; the number of messages where the model isn't in one. */
function loopStart(messages: readonly unknown[]): number {
  if (!hasResults(messages.at(-1))) return messages.length;
  return messages.findLastIndex((message) => !isAnswer(message) && !hasResults(message)) + 1;
}

function withoutThoughts(messages: readonly unknown[]): readonly unknown[] {
  const start = loopStart(messages);
  return messages.map((message, at) =>
    at >= start && isAnswer(message) && partsOf(message["content"]).some(isThought)
      ? anthropicMessages.edit(message, [{ type: "strip-reasoning", why: "signed-reasoning" }])
      : message,
  );
}

function isAnswer(message: unknown): message is Json & { readonly role: "assistant" } {
  return isJson(message) && message["role"] === "assistant";
}

function hasResults(message: unknown): boolean {
  return (
    isJson(message) &&
    message["role"] === "user" &&
    partsOf(message["content"]).some((part) => isJson(part) && part["type"] === "tool_result")
  );
}

function isThought(part: unknown): boolean {
  return isJson(part) && (part["type"] === "thinking" || part["type"] === "redacted_thinking");
}
