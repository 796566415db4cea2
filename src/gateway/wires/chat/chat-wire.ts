import { assembleChat } from "../../../apis/chat/assemble.ts";
import { chatHosting } from "../../../apis/chat/hosting.ts";
import { openaiChat } from "../../../apis/index.ts";
import { readEvents } from "../../../apis/shared/events.ts";
import { isJson, type Json, listOf, numberOf, textOf } from "../../../apis/shared/fields.ts";
import { chatUsage, knownUsage } from "../../../apis/shared/usage.ts";
import { openaiCompatible } from "../../../models/index.ts";
import { RequestFault } from "../../http/request-fault.ts";
import { isGoogle, isOpenai, openaiBase, openaiError } from "../shared/providers.ts";
import { rewrittenMessages, wireDialect } from "../shared/wire-dialect.ts";
import type { Wire, WireAnswer } from "../wire.ts";

export const chatWire: Wire = {
  api: "chat",
  path: "/v1/chat/completions",
  dialect: wireDialect(openaiChat),
  endMarkers: ["[DONE]"],
  inputField: "prompt_tokens",

  read(body) {
    if (!Array.isArray(body["messages"]))
      throw new RequestFault(400, "invalid", "`messages` is missing or isn't a list.");
    return {
      model: textOf(body["model"]) ?? "",
      transcript: body["messages"] as readonly unknown[],
      system: undefined,
      tools: body["tools"] ?? body["functions"],
      streamed: body["stream"] === true,
      cap: numberOf(body["max_completion_tokens"]) ?? numberOf(body["max_tokens"]),
    };
  },

  write: (body, view) => ({
    ...body,
    messages: rewrittenMessages(chatWire.dialect, body["messages"], view.messages),
  }),

  withoutThinking({ thinking: _, reasoning: __, reasoning_effort: ___, ...body }) {
    return body;
  },

  withCap: (body, cap) =>
    "max_completion_tokens" in body ? { ...body, max_completion_tokens: cap } : { ...body, max_tokens: cap },

  readJson(answer) {
    const choice = listOf(answer["choices"])[0];
    const message = isJson(choice) ? choice["message"] : undefined;
    return answerOf(answer, isJson(message) ? [message] : [], answer["usage"], [answer]);
  },

  readStream(text) {
    const events = readEvents(text);
    const usage = events.findLast((event) => isJson(event["usage"]))?.["usage"];
    const message = assembleChat(events);
    return answerOf(events[0] ?? {}, message ? [message] : [], usage, events);
  },

  withUsage: (data, change) =>
    isJson(data["usage"]) ? { ...data, usage: change(data["usage"]) } : undefined,
  error: openaiError,
  // Its events have no names.
  brokenOff: (status, error) => `data: ${JSON.stringify(openaiError(status, error))}\n\n`,

  delta(event) {
    const { error } = event;
    if (isJson(error)) return { error: textOf(error["message"]) ?? JSON.stringify(error) };
    const choice = listOf(event["choices"])[0];
    if (!isJson(choice)) return undefined;
    const delta = isJson(choice["delta"]) ? choice["delta"] : {};
    return {
      text: textOf(delta["content"]),
      reasoning: textOf(delta["reasoning_content"]) ?? textOf(delta["reasoning"]),
      isEnd: textOf(choice["finish_reason"]) !== undefined,
    };
  },

  chat: { fields: { stream_options: { include_usage: true } }, cap: undefined },
  // Google imitates it beside its own API.
  isProvider: (hostname) => isOpenai(hostname) || isGoogle(hostname),
  convention: "openai",
  summarizer: ({ addressOf, isSame: _, ...shared }) =>
    openaiCompatible({ ...shared, baseURL: openaiBase(addressOf), api: "chat" }),
  movesLaterSystem: false,
  hosting: chatHosting,
};

function answerOf(
  answer: Json,
  messages: readonly unknown[],
  usage: unknown,
  ends: readonly Json[],
): WireAnswer {
  const isCutOff = ends.some((end) =>
    listOf(end["choices"]).some((choice) => isJson(choice) && choice["finish_reason"] === "length"),
  );
  return {
    messages,
    usage: knownUsage(chatUsage(usage)),
    id: textOf(answer["id"]),
    ...(isCutOff && { isCutOff }),
  };
}
