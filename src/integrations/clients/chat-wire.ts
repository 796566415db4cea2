import { defined } from "../../core/defined.ts";
import { isRecord } from "../../core/is-record.ts";
import type { Dialect, StopReason } from "../../core/types.ts";
import { openaiChat } from "../../dialects/openai-chat/index.ts";
import { chatUsage, knownUsage } from "../../models/shared/usage.ts";
import { type ClientWire, type Json, numberOf, textOf } from "./wire.ts";

const STOPS: Readonly<Record<string, StopReason>> = {
  stop: "end",
  length: "length",
  content_filter: "refusal",
  tool_calls: "tool-call",
};

/** OpenAI's refusals, which its Responses API shares. */
export const openaiRefusal = (message: string): Json => ({
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
    const stop = isRecord(choice) ? STOPS[String(choice["finish_reason"])] : undefined;
    return defined({ usage: knownUsage(chatUsage(usage)), stop });
  },
  refusal: openaiRefusal,
};
