import type { AiSdkMessage } from "../../dialects/index.ts";
import { callId, completeBuilders, type MessageBuilders, TINY_PNG } from "./message-builders.ts";

/** Builders for AI SDK model messages. */
export const aiSdk: MessageBuilders<AiSdkMessage> = completeBuilders<AiSdkMessage>({
  system: (text) => ({ role: "system", content: text }),
  user: (text) => ({ role: "user", content: text }),
  assistant: (text) => ({ role: "assistant", content: [{ type: "text", text }] }),
  image: (text, base64 = TINY_PNG) => ({
    role: "user",
    content: [
      ...(text === undefined ? [] : [{ type: "text", text }]),
      { type: "image", image: base64, mediaType: "image/png" },
    ],
  }),
  calls: (calls, text) => [
    {
      role: "assistant",
      content: [
        ...(text === undefined ? [] : [{ type: "text", text }]),
        ...calls.map((call) => ({
          type: "tool-call",
          toolCallId: callId(call),
          toolName: call.name,
          input: call.args ?? {},
        })),
      ],
    },
  ],
  results: (results) => [
    {
      role: "tool",
      content: results.map((result) => ({
        type: "tool-result",
        toolCallId: result.id,
        toolName: result.name ?? "tool",
        output: { type: "text", value: result.text },
      })),
    },
  ],
  reasoning: (thought, text, signature) => [
    {
      role: "assistant",
      content: [
        {
          type: "reasoning",
          text: thought,
          ...(signature === undefined ? {} : { providerOptions: { anthropic: { signature } } }),
        },
        { type: "text", text },
      ],
    },
  ],
});
