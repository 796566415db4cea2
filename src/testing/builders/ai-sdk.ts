import type { AiSdkMessage } from "../../dialects/index.ts";
import { callId, type MessageBuilders, TINY_PNG } from "./message-builders.ts";

/** Builders for AI SDK model messages. */
export const aiSdk: MessageBuilders<AiSdkMessage> = {
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
  call: (name, args = {}, id) => aiSdk.calls([{ name, args, ...(id === undefined ? {} : { id }) }])[0]!,
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
  result: (id, text, name = "tool") => aiSdk.results([{ id, text, name }])[0]!,
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
  round: (name, args, text, id = `call_${name}`) => [
    aiSdk.call(name, args, id),
    aiSdk.result(id, text, name),
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
};
