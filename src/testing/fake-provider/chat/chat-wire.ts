import { chatServed } from "../../../apis/chat/server.ts";
import { type Json, obj, objects, str } from "../../json.ts";
import { type Answer, pieces } from "../answer.ts";
import type { FakeEvent, FakeWire } from "../fake-wire.ts";
import type { CacheUse } from "../prompt-cache.ts";
import { ProviderRefusal } from "../provider-refusal.ts";
import { reasoningFamilies } from "../reasoning-family.ts";
import type { FakeFamily, FakeRequest } from "../types.ts";
import { validateChat } from "./validate-chat.ts";

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
