import type { Dialect, StopReason } from "../../core/types.ts";
import type { Api } from "../shared/api.ts";
import { isJson, type Json, listOf, numberOf, obj, str, textOf } from "../shared/fields.ts";
import { joinBase64 } from "../shared/media.ts";
import { wantsCompletionTokens } from "../shared/model-traits.ts";
import { OPENAI, openaiError } from "../shared/providers.ts";
import { askingBy, requestsBy } from "../shared/request.ts";
import { chatUsage, knownUsage } from "../shared/usage.ts";
import { openaiChat } from "./index.ts";

const REQUESTS = requestsBy({
  messages: "messages",
  tools: ["tools", "functions"],
  caps: ["max_completion_tokens", "max_tokens"],
});

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
  provider: OPENAI,
  path: "/v1/chat/completions",
  dialect: openaiChat as Dialect<unknown>,
  ...REQUESTS,

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

/** Fields of a delta that are put together from pieces of text. */
const TEXT_FIELDS = [
  "content",
  "refusal",
  "reasoning_content",
  "reasoning",
  "reasoning_text",
  "reasoning_opaque",
] as const;
/** Fields of a delta that are lists of reasoning, in pieces. */
const LIST_FIELDS = ["reasoning_details", "thinking_blocks"] as const;
/** Fields of such a piece that grow by text. */
const GROWING = ["text", "summary", "thinking"] as const;

interface Call {
  id: string;
  type: string;
  name: string;
  args: string;
  /** What some providers add and want back, such as Gemini's signature in `extra_content`. */
  more: Json;
}

/** The message that a streamed chat completion adds up to. */
export function assembleChat(events: readonly Json[]): Json | undefined {
  const texts: Partial<Record<(typeof TEXT_FIELDS)[number], string>> = {};
  const calls = new Map<number, Call>();
  /** The one call of the form that `tool_calls` replaced. */
  const legacy = new Map<number, Call>();
  const sounds: Json[] = [];
  const thoughts = new Map<string, Json[]>();
  let hasDelta = false;
  for (const event of events) {
    const choice = listOf(event["choices"]).find((one) => isJson(one) && (one["index"] ?? 0) === 0);
    const delta = isJson(choice) ? choice["delta"] : undefined;
    if (!isJson(delta)) continue;
    hasDelta = true;
    for (const field of TEXT_FIELDS) {
      const piece = textOf(delta[field]);
      if (piece !== undefined) texts[field] = (texts[field] ?? "") + piece;
    }
    for (const field of LIST_FIELDS) {
      const list = thoughts.get(field) ?? [];
      for (const piece of listOf(delta[field])) if (isJson(piece)) addThought(list, piece);
      if (list.length > 0) thoughts.set(field, list);
    }
    for (const piece of listOf(delta["tool_calls"])) if (isJson(piece)) addCall(calls, piece);
    if (isJson(delta["function_call"])) addCall(legacy, { index: 0, function: delta["function_call"] });
    if (isJson(delta["audio"])) sounds.push(delta["audio"]);
  }
  if (!hasDelta) return undefined;
  const { content, ...others } = texts;
  const old = legacy.get(0);
  return {
    role: "assistant",
    content: content === undefined || (content === "" && (calls.size > 0 || old)) ? null : content,
    ...others,
    ...Object.fromEntries(thoughts),
    ...(sounds.length > 0 && { audio: soundOf(sounds) }),
    ...(old && { function_call: { name: old.name, arguments: old.args } }),
    ...(calls.size > 0 && { tool_calls: [...calls.values()].map(callOf) }),
  };
}

/** A spoken answer. Each piece of its sound is base64 by itself. */
function soundOf(pieces: readonly Json[]): Json {
  const texts = (field: string) => pieces.map((piece) => textOf(piece[field]) ?? "");
  return Object.assign({}, ...pieces, {
    data: joinBase64(texts("data")),
    transcript: texts("transcript").join(""),
  }) as Json;
}

/** Pieces of one thought follow each other, and have the same type and place. */
function addThought(thoughts: Json[], piece: Json): void {
  const last = thoughts.at(-1);
  const goesOn =
    last !== undefined &&
    last["type"] === piece["type"] &&
    last["index"] === piece["index"] &&
    // Encrypted reasoning comes whole.
    piece["data"] === undefined;
  if (!goesOn) {
    thoughts.push(piece);
    return;
  }
  const grown: Record<string, unknown> = { ...last, ...piece };
  for (const field of GROWING) {
    const text = textOf(last[field]);
    if (text !== undefined) grown[field] = text + (textOf(piece[field]) ?? "");
  }
  thoughts[thoughts.length - 1] = grown;
}

function addCall(calls: Map<number, Call>, piece: Json): void {
  const index = numberOf(piece["index"]) ?? calls.size;
  const call = calls.get(index) ?? { id: "", type: "function", name: "", args: "", more: {} };
  calls.set(index, call);
  call.id ||= textOf(piece["id"]) ?? "";
  call.type = textOf(piece["type"]) ?? call.type;
  const { index: _, id: __, type: ___, function: fn, custom, ...more } = piece;
  call.more = { ...call.more, ...more };
  const part = fn ?? custom;
  if (!isJson(part)) return;
  // A name comes in one piece; some servers repeat it with every piece of the arguments.
  const name = textOf(part["name"]) ?? "";
  if (name !== call.name) call.name += name;
  call.args += textOf(part["arguments"]) ?? textOf(part["input"]) ?? "";
}

function callOf({ id, type, name, args, more }: Call): Json {
  return type === "custom"
    ? { id, type, custom: { name, input: args }, ...more }
    : { id, type, function: { name, arguments: args }, ...more };
}
