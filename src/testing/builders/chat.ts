import type { ChatMessage } from "../../apis/index.ts";
import { callId, completeBuilders, type MessageBuilders, TINY_PNG } from "./message-builders.ts";

/** Builders for Chat Completions. */
export const chat: MessageBuilders<ChatMessage> = completeBuilders<ChatMessage>({
  system: (text) => ({ role: "system", content: text }),
  user: (text) => ({ role: "user", content: text }),
  assistant: (text) => ({ role: "assistant", content: text }),
  image: (text, base64 = TINY_PNG) => ({
    role: "user",
    content: [
      ...(text === undefined ? [] : [{ type: "text", text }]),
      { type: "image_url", image_url: { url: `data:image/png;base64,${base64}` } },
    ],
  }),
  calls: (calls, text) => [
    {
      role: "assistant",
      content: text ?? null,
      tool_calls: calls.map((call) => ({
        id: callId(call),
        type: "function",
        function: { name: call.name, arguments: JSON.stringify(call.args ?? {}) },
      })),
    },
  ],
  results: (results) => results.map(({ id, text }) => ({ role: "tool", tool_call_id: id, content: text })),
  reasoning: (thought, text) => [{ role: "assistant", content: text, reasoning_content: thought }],
});
