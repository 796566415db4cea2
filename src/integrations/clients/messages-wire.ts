import { defined } from "../../core/defined.ts";
import { isRecord } from "../../core/is-record.ts";
import type { Dialect, StopReason } from "../../core/types.ts";
import { anthropicMessages } from "../../dialects/anthropic-messages/index.ts";
import { MESSAGES_COUNTING } from "../../models/shared/counting.ts";
import { messagesUsage, usageOf } from "../../models/shared/usage.ts";
import { type ClientWire, type Json, numberOf, textOf } from "./wire.ts";

const STOPS: Readonly<Record<string, StopReason>> = {
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
    const stop = STOPS[String(message["stop_reason"] ?? delta["stop_reason"])];
    return defined({ usage: usage && usageOf(messagesUsage(usage)), stop });
  },
  refusal: (message) => ({ type: "error", error: { type: "invalid_request_error", message } }),
};
