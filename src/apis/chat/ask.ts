import { defined } from "../../core/defined.ts";
import { isRecord } from "../../core/is-record.ts";
import { parseJson } from "../../core/parse-json.ts";
import type { ModelReply, StopReason } from "../../core/types.ts";
import { continuedFields } from "../shared/continued-fields.ts";
import { type Json, listOf, obj, str } from "../shared/fields.ts";
import { reasoningAllowance, wantsCompletionTokens } from "../shared/model-traits.ts";
import type { SseEvent } from "../shared/sse.ts";
import { chatUsage, usageOf } from "../shared/usage.ts";
import type { WireApi, WireSettings } from "../shared/wire-api.ts";

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

/** Fields that shape or keep the answer and have no part in the prompt: OpenAI's, then those of vLLM, SGLang and llama.cpp. */
const SHAPING: ReadonlySet<string> = new Set([
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
]);
const CAPS = ["max_completion_tokens", "max_tokens"] as const;

/** OpenAI Chat Completions, as OpenAI and everyone who imitates it speaks it. */
export const chatApi: WireApi = {
  dialect: "openai-chat",

  build(request, settings) {
    const system = request.system === undefined ? [] : [{ role: "system", content: request.system }];
    return {
      body: {
        model: settings.model,
        messages: [...system, ...request.messages.map(({ role, text }) => ({ role, content: text }))],
        [capName(settings)]: capOf(request.cap, settings),
        ...defined({ temperature: settings.temperature }),
        stream: false,
      },
    };
  },

  extend(given, request, settings) {
    const { messages } = given;
    if (!Array.isArray(messages)) return undefined;
    const name = CAPS.find((field) => field in given) ?? capName(settings);
    // Two caps of one answer are refused by some.
    const others = CAPS.filter((field) => field !== name);
    return {
      body: {
        ...continuedFields(given, new Set([...SHAPING, ...others])),
        messages: [...messages, ...request.messages.map(({ role, text }) => ({ role, content: text }))],
        [name]: capOf(request.cap, settings),
        ...defined({ temperature: settings.temperature }),
        stream: false,
      },
    };
  },

  read(json): ModelReply | undefined {
    const body = obj(json);
    const choice = obj(listOf(body["choices"])[0]);
    const { message } = choice;
    if (!isRecord(message)) return undefined;
    return {
      text: withoutThoughts(textOf(message["content"])),
      stop: stopOf(choice, message),
      usage: usageOf(chatUsage(body["usage"])),
      ...defined({ model: str(body["model"]) || undefined }),
    };
  },

  assemble(events: readonly SseEvent[]): unknown {
    let content = "";
    let refusal = "";
    const calls: unknown[] = [];
    let last: Json = {};
    let finish: unknown;
    let usage: unknown;
    for (const { data } of events) {
      const part = obj(parseJson(data));
      if (part["error"] !== undefined) return part;
      const choice = obj(listOf(part["choices"])[0]);
      const delta = obj(choice["delta"]);
      content += textOf(delta["content"]);
      refusal += str(delta["refusal"]);
      calls.push(...listOf(delta["tool_calls"]));
      finish = choice["finish_reason"] ?? finish;
      usage = part["usage"] ?? usage;
      last = part["model"] === undefined ? last : part;
    }
    const message = { role: "assistant", content, refusal: refusal || null, tool_calls: calls };
    // A stream that ends without a reason was cut on the way.
    return finish === undefined
      ? undefined
      : { model: last["model"], choices: [{ message, finish_reason: finish }], usage };
  },
};

const capName = ({ model }: WireSettings): string =>
  wantsCompletionTokens(model) ? "max_completion_tokens" : "max_tokens";

const capOf = (cap: number, { model, window }: WireSettings): number =>
  cap + reasoningAllowance(model, window);

function stopOf(choice: Json, message: Json): StopReason {
  if (listOf(message["tool_calls"]).length > 0 || isRecord(message["function_call"])) return "tool-call";
  if (str(message["refusal"]) !== "") return "refusal";
  const reason = str(choice["finish_reason"]).toLowerCase();
  // Some servers never say why they stopped.
  return reason === "" ? "end" : (STOPS[reason] ?? "other");
}

/** Content is a text, or a list of parts. */
function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return listOf(content)
    .map((part) => (str(obj(part)["type"]).includes("think") ? "" : str(obj(part)["text"])))
    .join("");
}

/** Servers without a reasoning parser leave the model's thoughts in front of its answer. Unclosed: there is no answer. */
function withoutThoughts(text: string): string {
  return text.replace(/^\s*<think(?:ing)?>(?:[\s\S]*?<\/think(?:ing)?>\s*|[\s\S]*$)/i, "");
}
