import { messagesServed } from "../../../apis/messages/server.ts";
import { type Json, obj, str } from "../../json.ts";
import { type Answer, pieces } from "../answer.ts";
import type { Accepted, FakeEvent, FakeWire } from "../fake-wire.ts";
import type { CacheUse } from "../prompt-cache.ts";
import { ProviderRefusal } from "../provider-refusal.ts";
import { reasoningFamilies } from "../reasoning-family.ts";
import type { FakeRequest } from "../types.ts";
import { checkBinding, sign } from "./thinking-binding.ts";
import { validateMessages } from "./validate-messages.ts";

const STOPS: Readonly<Record<Answer["stop"], string>> = {
  end: "end_turn",
  length: "max_tokens",
  window: "model_context_window_exceeded",
  refusal: "refusal",
  "content-filter": "refusal",
  "tool-call": "tool_use",
};
/** Models that refuse an answer's cap that doesn't fit behind the prompt; newer ones stop when the window is full. */
const REFUSES_LARGE_CAP = /claude-(?:[23]|(?:opus|sonnet)-4-[01]\b|(?:opus|sonnet)-4-2025)/;

/** Anthropic Messages. */
export const messagesWire: FakeWire = {
  api: messagesServed,
  joinsRoles: true,
  // Changing these keeps tools and system in the cache, but not the messages.
  settings: ({ thinking, tool_choice }) => [thinking, tool_choice],

  accept(given, rules) {
    validateMessages(given, rules);
    const { headers, binding, family } = rules;
    if (family) reasoningFamilies[family].checkMessages?.(given);
    // Thoughts that no longer fit are left out; other providers' signatures are bound to nothing.
    const { body, transformations } = family
      ? { body: given, transformations: [] }
      : checkBinding(given, headers, binding);
    const thinks = ["enabled", "adaptive"].includes(str(obj(body["thinking"])["type"]));
    return { body, transformations, thinks, family };
  },

  tooLong(tokens, cap, { window }, body) {
    if (tokens > window)
      return new ProviderRefusal(`prompt is too long: ${tokens} tokens > ${window} maximum`);
    if (cap !== undefined && tokens + cap > window && REFUSES_LARGE_CAP.test(str(body["model"])))
      return new ProviderRefusal(
        `input length and \`max_tokens\` exceed context limit: ${tokens} + ${cap} > ${window}, decrease input length or \`max_tokens\` and try again`,
      );
    return undefined;
  },

  json(answer, use, request, accepted) {
    return {
      ...messageOf(answer, request, accepted),
      content: blocksOf(answer, accepted),
      stop_reason: STOPS[answer.stop],
      usage: usageOf(use, answer.outputTokens),
    };
  },

  events(answer, use, request, accepted) {
    const event = (data: Json & { type: string }): FakeEvent => ({ event: data.type, data });
    return [
      event({
        type: "message_start",
        message: {
          ...messageOf(answer, request, accepted),
          content: [],
          stop_reason: null,
          usage: usageOf(use, 1),
        },
      }),
      event({ type: "ping" }),
      ...blocksOf(answer, accepted).flatMap((block, index) => [
        event({ type: "content_block_start", index, content_block: openBlock(block) }),
        ...deltas(block).map((delta) => event({ type: "content_block_delta", index, delta })),
        event({ type: "content_block_stop", index }),
      ]),
      event({
        type: "message_delta",
        delta: { stop_reason: STOPS[answer.stop], stop_sequence: null },
        usage: usageOf(use, answer.outputTokens),
      }),
      event({ type: "message_stop" }),
    ];
  },
};

function messageOf(answer: Answer, request: FakeRequest, { transformations = [] }: Accepted): Json {
  return {
    id: `msg_${answer.id}`,
    type: "message",
    role: "assistant",
    model: request.model,
    stop_sequence: null,
    ...(transformations.length > 0 && { input_transformations: transformations }),
  };
}

function blocksOf(answer: Answer, { body, thinks, family }: Accepted): Json[] {
  const signature = family
    ? reasoningFamilies[family].signature?.(answer.reasoning)
    : sign(body, answer.reasoning);
  return [
    ...(thinks === true && answer.reasoning !== ""
      ? [{ type: "thinking", thinking: answer.reasoning, signature }]
      : []),
    ...(answer.text === "" ? [] : [{ type: "text", text: answer.text }]),
    ...answer.calls.map(({ id, name, args }) => ({
      type: "tool_use",
      id,
      name,
      input: JSON.parse(args) as unknown,
    })),
  ];
}

/** A part as it is announced: without its content. */
function openBlock(block: Json): Json {
  if (block["type"] === "text") return { type: "text", text: "" };
  if (block["type"] === "thinking") return { type: "thinking", thinking: "", signature: "" };
  return { ...block, input: {} };
}

function deltas(block: Json): Json[] {
  if (block["type"] === "text")
    return pieces(str(block["text"])).map((text) => ({ type: "text_delta", text }));
  if (block["type"] === "thinking")
    return [
      ...pieces(str(block["thinking"])).map((thinking) => ({ type: "thinking_delta", thinking })),
      { type: "signature_delta", signature: block["signature"] },
    ];
  const args = ["", ...pieces(JSON.stringify(block["input"]))];
  return args.map((partial_json) => ({ type: "input_json_delta", partial_json }));
}

function usageOf(use: CacheUse, output: number): Json {
  return {
    input_tokens: use.input - use.cacheRead - use.cacheWrite,
    cache_creation_input_tokens: use.cacheWrite,
    cache_read_input_tokens: use.cacheRead,
    cache_creation: {
      ephemeral_5m_input_tokens: use.cacheWrite - use.longWrite,
      ephemeral_1h_input_tokens: use.longWrite,
    },
    output_tokens: output,
    service_tier: "standard",
  };
}
