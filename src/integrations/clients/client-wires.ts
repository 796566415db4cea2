import { openaiChat } from "../../apis/chat/index.ts";
import { anthropicMessages } from "../../apis/messages/index.ts";
import { openaiResponses } from "../../apis/responses/index.ts";
import { MESSAGES_COUNTING, RESPONSES_COUNTING } from "../../apis/shared/counting.ts";
import { chatUsage, knownUsage, messagesUsage, responsesUsage, usageOf } from "../../apis/shared/usage.ts";
import { defined } from "../../core/defined.ts";
import { isRecord } from "../../core/is-record.ts";
import type { Dialect, StopReason } from "../../core/types.ts";
import { type ClientWire, type Json, numberOf, textOf } from "./wire.ts";

const CHAT_STOPS: Readonly<Record<string, StopReason>> = {
  stop: "end",
  length: "length",
  content_filter: "refusal",
  tool_calls: "tool-call",
};

/** OpenAI's refusals, which its Responses API shares. */
const openaiRefusal = (message: string): Json => ({
  error: { message, type: "invalid_request_error", param: null, code: "context_length_exceeded" },
});

/** Chat Completions of OpenAI and everyone who imitates it. */
export const chatWire: ClientWire = {
  path: "/chat/completions",
  dialect: openaiChat as Dialect<unknown>,
  read: ({ model, messages, tools, max_completion_tokens, max_tokens }) =>
    Array.isArray(messages)
      ? {
          model: textOf(model),
          transcript: messages,
          tools,
          cap: numberOf(max_completion_tokens) ?? numberOf(max_tokens),
        }
      : undefined,
  write: (body, { messages }, cap) => ({
    ...body,
    messages,
    ...(cap !== undefined && {
      [body["max_completion_tokens"] === undefined ? "max_tokens" : "max_completion_tokens"]: cap,
    }),
  }),
  learn: ({ usage, choices }) => {
    const [choice] = Array.isArray(choices) ? choices : [];
    const stop = isRecord(choice) ? CHAT_STOPS[String(choice["finish_reason"])] : undefined;
    return defined({ usage: knownUsage(chatUsage(usage)), stop });
  },
  refusal: openaiRefusal,
};

const MESSAGES_STOPS: Readonly<Record<string, StopReason>> = {
  end_turn: "end",
  max_tokens: "length",
  refusal: "refusal",
  tool_use: "tool-call",
};

/** Anthropic's Messages API. */
export const messagesWire: ClientWire = {
  path: "/messages",
  count: MESSAGES_COUNTING,
  dialect: anthropicMessages as Dialect<unknown>,
  read: ({ model, messages, system, tools, max_tokens }) =>
    Array.isArray(messages)
      ? { model: textOf(model), transcript: messages, system, tools, cap: numberOf(max_tokens) }
      : undefined,
  write: (body, { messages, system }, cap) => ({
    ...body,
    messages,
    ...(system !== undefined && system !== null && { system }),
    ...(cap !== undefined && { max_tokens: cap }),
  }),
  learn: (data) => {
    // A stream tells the input at its beginning and the output at its end.
    const message = isRecord(data["message"]) ? data["message"] : data;
    const delta: Json = isRecord(data["delta"]) ? data["delta"] : {};
    const usage = isRecord(message["usage"]) ? message["usage"] : undefined;
    const stop = MESSAGES_STOPS[String(message["stop_reason"] ?? delta["stop_reason"])];
    return defined({ usage: usage && usageOf(messagesUsage(usage)), stop });
  },
  refusal: (message) => ({ type: "error", error: { type: "invalid_request_error", message } }),
};

/** A lower cap is refused (tokens). */
const LEAST_CAP = 16;

/** OpenAI's Responses API. What goes on from an answer on the server goes as it is: its transcript isn't here. */
export const responsesWire: ClientWire = {
  path: "/responses",
  count: RESPONSES_COUNTING,
  dialect: openaiResponses as Dialect<unknown>,
  read: ({ model, input, instructions, tools, max_output_tokens, previous_response_id, conversation }) =>
    Array.isArray(input) && !previous_response_id && !conversation
      ? {
          model: textOf(model),
          transcript: input,
          system: instructions ?? undefined,
          tools,
          cap: numberOf(max_output_tokens),
        }
      : undefined,
  write: (body, { messages, system }, cap) => ({
    ...body,
    input: messages,
    ...(system !== undefined && system !== null && { instructions: system }),
    ...(cap !== undefined && { max_output_tokens: Math.max(LEAST_CAP, cap) }),
  }),
  learn: (data) => {
    const response = isRecord(data["response"]) ? data["response"] : data;
    const { usage, status } = response;
    const stop = status === "incomplete" ? ("length" as const) : undefined;
    return defined({ usage: knownUsage(responsesUsage(usage)), stop });
  },
  refusal: openaiRefusal,
};
