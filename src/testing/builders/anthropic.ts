import type { AnthropicMessage } from "../../dialects/index.ts";
import { callId, completeBuilders, type MessageBuilders, TINY_PNG } from "./message-builders.ts";

/** Builders for Anthropic Messages: the results of parallel calls share one user message. */
export const anthropic: MessageBuilders<AnthropicMessage> = completeBuilders<AnthropicMessage>({
  system: (text) => ({ role: "system", content: text }),
  user: (text) => ({ role: "user", content: text }),
  assistant: (text) => ({ role: "assistant", content: [{ type: "text", text }] }),
  image: (text, base64 = TINY_PNG) => ({
    role: "user",
    content: [
      ...(text === undefined ? [] : [{ type: "text", text }]),
      { type: "image", source: { type: "base64", media_type: "image/png", data: base64 } },
    ],
  }),
  calls: (calls, text) => [
    {
      role: "assistant",
      content: [
        ...(text === undefined ? [] : [{ type: "text", text }]),
        ...calls.map((call) => ({
          type: "tool_use",
          id: callId(call),
          name: call.name,
          input: call.args ?? {},
        })),
      ],
    },
  ],
  results: (results) => [
    {
      role: "user",
      content: results.map((result) => ({
        type: "tool_result",
        tool_use_id: result.id,
        content: result.text,
      })),
    },
  ],
  reasoning: (thought, text, signature = "") => [
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: thought, signature },
        { type: "text", text },
      ],
    },
  ],
});
