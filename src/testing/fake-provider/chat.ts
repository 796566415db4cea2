import { chatServed } from "../../apis/chat/server.ts";
import { isObject, type Json, obj, objects, str } from "../json.ts";
import { type Answer, type FakeEvent, type FakeWire, pieces, type WireRules } from "./fake-wire.ts";
import {
  checkAlternation,
  checkCap,
  checkTemperature,
  checkTools,
  demandGiven,
  demandMembers,
  demandType,
  REASONING_MODEL,
  refuseUnknown,
  requireModel,
} from "./openai-rules.ts";
import type { CacheUse } from "./prompt.ts";
import { reasoningFamilies } from "./reasoning-family.ts";
import { demand, demandRules, ProviderRefusal } from "./refusals.ts";
import type { FakeBody, FakeFamily, FakeRequest } from "./types.ts";

const CREATED = 1_700_000_000;
const FINISH: Readonly<Record<Answer["stop"], string>> = {
  end: "stop",
  length: "length",
  window: "length",
  refusal: "stop",
  "content-filter": "content_filter",
  "tool-call": "tool_calls",
};

/** OpenAI Chat Completions. */
export const chatWire: FakeWire = {
  api: chatServed,

  accept(body, rules) {
    validateChat(body, rules);
    const { family } = rules;
    if (family) reasoningFamilies[family].checkChat(body);
    return { body, family };
  },

  settings: ({ response_format }) => response_format,

  tooLong(tokens, cap, { window }) {
    const fields = { param: "messages", code: "context_length_exceeded" };
    const start = `This model's maximum context length is ${window} tokens. However, `;
    if (tokens > window)
      return new ProviderRefusal(
        `${start}your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`,
        fields,
      );
    if (cap !== undefined && tokens + cap > window)
      return new ProviderRefusal(
        `${start}you requested ${tokens + cap} tokens (${tokens} in the messages, ${cap} in the completion). Please reduce the length of the messages or completion.`,
        fields,
      );
    return undefined;
  },

  json(answer, use, request, { family }) {
    const isRefusal = answer.stop === "refusal";
    const calls = answer.calls.map(({ id, name, args }, at) => ({
      id,
      type: "function",
      function: { name, arguments: args },
      ...(family && reasoningFamilies[family].call(answer, at)),
    }));
    const message = {
      role: "assistant",
      content: isRefusal || (answer.text === "" && calls.length > 0) ? null : answer.text,
      refusal: isRefusal ? answer.text : null,
      annotations: [],
      ...thoughtFields(answer, family),
      ...(calls.length > 0 && { tool_calls: calls }),
    };
    return {
      ...head(answer, request, "chat.completion"),
      choices: [{ index: 0, message, logprobs: null, finish_reason: FINISH[answer.stop] }],
      usage: usageOf(answer, use),
    };
  },

  /** The answer in pieces; what isn't plain text comes whole. */
  events(answer, use, request, accepted) {
    const withUsage = obj(request.body["stream_options"])["include_usage"] === true;
    const { usage, choices } = obj(chatWire.json(answer, use, request, accepted));
    const { message, finish_reason } = objects(choices)[0]!;
    const { role, content, refusal, annotations: _, tool_calls: calls, ...thoughts } = obj(message);
    const event = (delta: Json, finish: unknown = null): FakeEvent => ({
      data: {
        ...head(answer, request, "chat.completion.chunk"),
        choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
        ...(withUsage && { usage: null }),
      },
    });
    const inPieces = (field: string, value: unknown) =>
      typeof value === "string"
        ? pieces(value).map((piece) => event({ [field]: piece }))
        : objects(value).map((one) => event({ [field]: [one] }));
    return [
      event({ role, content: "", refusal: null }),
      ...Object.entries({ ...thoughts, content, refusal }).flatMap(([field, value]) =>
        inPieces(field, value),
      ),
      ...objects(calls).flatMap(({ function: called, ...call }, index) => [
        event({ tool_calls: [{ index, ...call, function: { ...obj(called), arguments: "" } }] }),
        ...pieces(str(obj(called)["arguments"])).map((piece) =>
          event({ tool_calls: [{ index, function: { arguments: piece } }] }),
        ),
      ]),
      event({}, finish_reason),
      ...(withUsage
        ? [{ data: { ...head(answer, request, "chat.completion.chunk"), choices: [], usage } }]
        : []),
      { data: "[DONE]" },
    ];
  },
};

function head(answer: Answer, request: FakeRequest, object: string): Json {
  return {
    id: `chatcmpl-${answer.id}`,
    object,
    created: CREATED,
    model: request.model,
    service_tier: "default",
    system_fingerprint: "fp_fake",
  };
}

function thoughtFields(answer: Answer, family: FakeFamily | undefined): Json {
  if (family) return reasoningFamilies[family].message(answer);
  return answer.reasoning === "" ? {} : { reasoning_content: answer.reasoning };
}

function usageOf(answer: Answer, use: CacheUse): Json {
  return {
    prompt_tokens: use.input,
    completion_tokens: answer.outputTokens,
    total_tokens: use.input + answer.outputTokens,
    prompt_tokens_details: { cached_tokens: use.cacheRead, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: answer.reasoningTokens,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}

const KNOWN = new Set(
  "model messages stream stream_options max_tokens max_completion_tokens temperature top_p n stop seed user store metadata tools tool_choice parallel_tool_calls response_format reasoning_effort verbosity logprobs top_logprobs logit_bias presence_penalty frequency_penalty service_tier safety_identifier prompt_cache_key prompt_cache_retention prompt_cache_options modalities audio prediction web_search_options functions function_call".split(
    " ",
  ),
);
const ROLES = new Set(["system", "developer", "user", "assistant", "tool", "function"]);

/** Refuses what Chat Completions refuses. */
function validateChat(body: FakeBody, rules: WireRules): void {
  const model = requireModel(body);
  if (rules.unknownFields === "refuse")
    refuseUnknown(body, KNOWN, (name) => `Unrecognized request argument supplied: ${name}`);
  const { messages } = body;
  demandGiven(messages !== undefined, "messages");
  demandType(Array.isArray(messages), "messages", "an array of objects", messages);
  demandMembers(messages.length > 0, "messages");
  checkTemperature(body, model);
  checkChatCap(body, model, rules);
  checkToolSettings(body);
  demand(
    body["stream"] === true || body["stream_options"] == null,
    "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
    { param: "stream_options" },
  );
  demand(
    body["store"] === true || body["metadata"] == null,
    "The 'metadata' parameter is only allowed when 'store' is enabled.",
    { param: "metadata" },
  );
  for (const [index, message] of messages.entries()) checkMessage(message, index);
  checkPairs(messages.filter(isObject));
  if (rules.alternation === "strict") checkAlternation("openai-chat", messages);
}

function checkChatCap(body: FakeBody, model: string, rules: WireRules): void {
  const old = checkCap(body, "max_tokens", 1);
  const cap = checkCap(body, "max_completion_tokens", 1);
  demand(
    old === undefined || cap === undefined,
    "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
    { code: "invalid_parameter_combination" },
  );
  demand(
    old === undefined || !REASONING_MODEL.test(model),
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    { param: "max_tokens", code: "unsupported_parameter" },
  );
  const value = old ?? cap;
  const name = old === undefined ? "max_completion_tokens" : "max_tokens";
  demand(
    value === undefined || value <= rules.maxOutput,
    `${name} is too large: ${value}. This model supports at most ${rules.maxOutput} completion tokens, whereas you provided ${value}.`,
    { param: name, code: "invalid_value" },
  );
}

function checkToolSettings(body: FakeBody): void {
  checkTools(body);
  const { tools } = body;
  demandMembers(!Array.isArray(tools) || tools.length > 0, "tools");
  if (Array.isArray(tools)) return;
  demand(
    body["tool_choice"] == null,
    "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
    { param: "tool_choice" },
  );
  demand(
    body["parallel_tool_calls"] == null,
    "Invalid value for 'parallel_tool_calls': 'parallel_tool_calls' is only allowed when 'tools' are specified.",
    { param: "parallel_tool_calls" },
  );
}

function checkMessage(message: unknown, index: number): void {
  const at = `messages[${index}]`;
  demandType(isObject(message), at, "an object", message);
  const role = str(message["role"]);
  demand(
    ROLES.has(role),
    `Invalid value: '${role}'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.`,
    { param: `${at}.role`, code: "invalid_value" },
  );
  const calls = message["tool_calls"];
  const hasCalls = calls != null || message["function_call"] != null;
  const { content } = message;
  const mayBeNull =
    role === "assistant" && (hasCalls || message["refusal"] != null || message["audio"] != null);
  demand(content != null || mayBeNull, "Invalid value for 'content': expected a string, got null.", {
    param: `messages.[${index}].content`,
  });
  demandType(
    content == null || typeof content === "string" || Array.isArray(content),
    `${at}.content`,
    "one of a string or array of objects",
    content,
  );
  demandMembers(!Array.isArray(content) || content.length > 0, `${at}.content`);
  demand(
    role !== "tool" || typeof message["tool_call_id"] === "string",
    `Missing required parameter: '${at}.tool_call_id'.`,
    { param: `${at}.tool_call_id`, code: "missing_required_parameter" },
  );
  if (calls == null) return;
  demandMembers(Array.isArray(calls) && calls.length > 0, `${at}.tool_calls`);
  for (const [number, call] of objects(calls).entries()) {
    const { arguments: args } = obj(call["function"]);
    const path = `${at}.tool_calls[${number}].function.arguments`;
    demandType(call["type"] === "custom" || typeof args === "string", path, "a string", args);
  }
}

/** Every call is answered right behind it, and every result answers a call right before it, once. */
function checkPairs(messages: readonly Json[]): void {
  const orphan = (at: number) =>
    new ProviderRefusal(
      "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
      { param: `messages.[${at}].role` },
    );
  demandRules("openai-chat", messages, {
    "unanswered-call": (at, ids) =>
      new ProviderRefusal(
        `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${ids.join(", ")}`,
        { param: `messages.[${at + 1}].role` },
      ),
    "orphan-result": orphan,
    "second-result": orphan,
  });
}
