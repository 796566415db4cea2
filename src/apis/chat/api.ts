import type { Dialect, StopReason } from "../../core/types.ts";
import type { Api } from "../shared/api.ts";
import { askingBy } from "../shared/ask.ts";
import { isJson, type Json, listOf, obj, str, textOf } from "../shared/fields.ts";
import { wantsCompletionTokens } from "../shared/model-traits.ts";
import { openaiError } from "../shared/providers.ts";
import { readRequest, withCap, writeRequest } from "../shared/request.ts";
import { chatUsage, knownUsage } from "../shared/usage.ts";
import { assembleChat } from "./assemble.ts";
import { openaiChat } from "./index.ts";

const FIELDS = {
  messages: "messages",
  tools: ["tools", "functions"],
  caps: ["max_completion_tokens", "max_tokens"],
};

/** Why an answer ended, in the words of OpenAI and of those who imitate it. */
const STOPS: Readonly<Record<string, StopReason>> = {
  stop: "end",
  eos: "end",
  end_turn: "end",
  stop_sequence: "end",
  length: "length",
  max_tokens: "length",
  model_length: "length",
  content_filter: "refusal",
  refusal: "refusal",
  safety: "refusal",
  tool_calls: "tool-call",
  function_call: "tool-call",
  tool_use: "tool-call",
};

/** Chat Completions of OpenAI and everyone who imitates it. */
export const chatApi: Api = {
  api: "chat",
  path: "/v1/chat/completions",
  dialect: openaiChat as Dialect<unknown>,
  fields: FIELDS,
  read: (body) => readRequest(FIELDS, body),
  lack: "`messages` is missing or isn't a list.",
  write: (body, view) => writeRequest(FIELDS, body, view),
  withCap: (body, cap) => withCap(FIELDS, body, cap),

  readAnswer(answer) {
    const choice = choiceOf(answer);
    const { message } = choice;
    const isAnswer = isJson(message);
    return {
      // Some servers leave its role out: only one can answer.
      messages: isAnswer ? [message["role"] === undefined ? { ...message, role: "assistant" } : message] : [],
      usage: knownUsage(chatUsage(answer["usage"])),
      stop: str(obj(message)["refusal"]) !== "" ? "refusal" : stopOf(choice),
      id: textOf(answer["id"]),
      model: textOf(answer["model"]),
      ...(!isAnswer && { isUnfinished: true }),
    };
  },

  assemble(events) {
    const message = assembleChat(events);
    const finish_reason = events
      .map((event) => choiceOf(event)["finish_reason"])
      .findLast((one) => one != null);
    return {
      id: events[0]?.["id"],
      model: events.findLast((event) => event["model"] !== undefined)?.["model"],
      choices: message ? [{ index: 0, message, finish_reason }] : [],
      usage: events.findLast((event) => event["usage"] != null)?.["usage"],
    };
  },

  readEvent(event) {
    const choice = choiceOf(event);
    const delta = obj(choice["delta"]);
    const isEnd = textOf(choice["finish_reason"]) !== undefined;
    return {
      text: textOf(delta["content"]),
      reasoning: textOf(delta["reasoning_content"]) ?? textOf(delta["reasoning"]),
      usage: chatUsage(event["usage"]),
      isEnd,
      ...(isEnd && { stop: stopOf(choice) }),
    };
  },

  error: openaiError,
};

function choiceOf(answer: Json): Json {
  return obj(listOf(answer["choices"])[0]);
}

function stopOf(choice: Json): StopReason {
  const reason = str(choice["finish_reason"]).toLowerCase();
  // Some servers never say why they stopped.
  return reason === "" ? "end" : (STOPS[reason] ?? "other");
}

export const askChat = askingBy(chatApi, {
  // OpenAI's, then those of vLLM, SGLang and llama.cpp.
  shaping: [
    ...["stop", "n", "response_format", "logprobs", "top_logprobs", "logit_bias", "prediction"],
    ...["presence_penalty", "frequency_penalty", "modalities", "audio", "store", "metadata"],
    // Refused beside `stream: false`.
    "stream_options",
    ...[
      "stop_token_ids",
      "min_tokens",
      "ignore_eos",
      "repetition_penalty",
      "best_of",
      "echo",
      "prompt_logprobs",
    ],
    ...["structured_outputs", "guided_json", "guided_regex", "guided_choice", "guided_grammar"],
    ...["json_schema", "grammar", "regex", "ebnf", "continue_final_message", "add_generation_prompt"],
  ],
  append: (messages, { role, text }) => [...messages, { role, content: text }],
  capName: (model) => (wantsCompletionTokens(model) ? "max_completion_tokens" : "max_tokens"),
});
