import { chatApi } from "../../../apis/chat/api.ts";
import { type Json, obj, objects, str } from "../../json.ts";
import { type Answer, pieces } from "../answer.ts";
import type { FakeEvent, FakeWire } from "../fake-wire.ts";
import { type Prompt, PromptBuilder } from "../prompt.ts";
import type { CacheUse } from "../prompt-cache.ts";
import { ProviderRefusal } from "../provider-refusal.ts";
import { reasoningFamilies } from "../reasoning-family.ts";
import type { FakeBody, FakeFamily, FakeMessage, FakeRequest } from "../types.ts";
import { validateChat } from "./validate-chat.ts";

const CREATED = 1_700_000_000;
const ROLES: Readonly<Record<string, FakeMessage["role"]>> = {
  system: "system",
  developer: "system",
  user: "user",
  assistant: "assistant",
  tool: "tool",
  function: "tool",
};
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
  api: chatApi,

  accept(body, rules) {
    validateChat(body, rules);
    const { family } = rules;
    if (family) reasoningFamilies[family].checkChat(body);
    return { prompt: readPrompt(body, rules.count), notes: {}, family };
  },

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
    const message = messageOf(answer, family);
    return {
      ...head(answer, request, "chat.completion"),
      choices: [{ index: 0, message, logprobs: null, finish_reason: FINISH[answer.stop] }],
      usage: usageOf(answer, use),
    };
  },

  events(answer, use, request, { family }) {
    const withUsage = obj(request.body["stream_options"])["include_usage"] === true;
    const event = (delta: Json, finish: string | null = null): FakeEvent => ({
      data: {
        ...head(answer, request, "chat.completion.chunk"),
        choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
        ...(withUsage ? { usage: null } : {}),
      },
    });
    return [
      event({ role: "assistant", content: "", refusal: null }),
      ...thoughtDeltas(answer, family).map((delta) => event(delta)),
      ...pieces(answer.text).map((piece) =>
        event(answer.stop === "refusal" ? { refusal: piece } : { content: piece }),
      ),
      ...answer.calls.flatMap((call, index) => [
        event({
          tool_calls: [
            {
              index,
              id: call.id,
              type: "function",
              function: { name: call.name, arguments: "" },
              ...callFields(answer, index, family),
            },
          ],
        }),
        ...pieces(call.args).map((piece) =>
          event({ tool_calls: [{ index, function: { arguments: piece } }] }),
        ),
      ]),
      event({}, FINISH[answer.stop]),
      ...(withUsage
        ? [
            {
              data: {
                ...head(answer, request, "chat.completion.chunk"),
                choices: [],
                usage: usageOf(answer, use),
              },
            },
          ]
        : []),
      { data: "[DONE]" },
    ];
  },
};

function readPrompt(body: FakeBody, count: (text: string) => number): Prompt {
  const prompt = new PromptBuilder(count);
  const tools = objects(body["tools"]);
  // The schemas stand before everything else, and a change in them changes the whole beginning.
  if (tools.length > 0) prompt.json("tools", tools);
  if (body["response_format"] != null) prompt.free("settings", body["response_format"]);
  for (const message of objects(body["messages"])) {
    const role = ROLES[str(message["role"])] ?? "user";
    const { content } = message;
    const parts = typeof content === "string" ? [{ type: "text", text: content }] : objects(content);
    let isFirst = true;
    const texts: string[] = [];
    for (const part of parts) {
      const isText = typeof part["text"] === "string" || typeof part["refusal"] === "string";
      const read = str(part["text"]) || str(part["refusal"]);
      prompt.part(role, { wire: part, read, image: !isText, first: isFirst });
      texts.push(read);
      isFirst = false;
    }
    const calls = objects(message["tool_calls"]).map((call) => obj(call["function"] ?? call["custom"]));
    for (const [index, call] of calls.entries()) {
      const read = `${str(call["name"])} ${str(call["arguments"] ?? call["input"])}`;
      prompt.part(role, { wire: objects(message["tool_calls"])[index], read, first: isFirst });
      texts.push(read);
      isFirst = false;
    }
    prompt.message(role, texts.join("\n"));
  }
  const names = tools.map((tool) => str(obj(tool["function"] ?? tool["custom"])["name"]));
  return { pieces: prompt.pieces, messages: prompt.messages, tools: names };
}

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

/** Reasoning in pieces; what isn't plain text comes in one. */
function thoughtDeltas(answer: Answer, family: FakeFamily | undefined): Json[] {
  const fields = thoughtFields(answer, family);
  return Object.entries(fields).flatMap(([name, value]): Json[] =>
    typeof value === "string"
      ? pieces(value).map((piece) => ({ [name]: piece }))
      : objects(value).map((one) => ({ [name]: [one] })),
  );
}

function thoughtFields(answer: Answer, family: FakeFamily | undefined): Json {
  if (family) return reasoningFamilies[family].message(answer);
  return answer.reasoning === "" ? {} : { reasoning_content: answer.reasoning };
}

function callFields(answer: Answer, at: number, family: FakeFamily | undefined): Json {
  return family ? reasoningFamilies[family].call(answer, at) : {};
}

function messageOf(answer: Answer, family: FakeFamily | undefined): Json {
  const isRefusal = answer.stop === "refusal";
  return {
    role: "assistant",
    content: isRefusal || (answer.text === "" && answer.calls.length > 0) ? null : answer.text,
    refusal: isRefusal ? answer.text : null,
    annotations: [],
    ...thoughtFields(answer, family),
    ...(answer.calls.length === 0
      ? {}
      : {
          tool_calls: answer.calls.map(({ id, name, args }, at) => ({
            id,
            type: "function",
            function: { name, arguments: args },
            ...callFields(answer, at, family),
          })),
        }),
  };
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
