import type { AiSdkMessage } from "../../apis/index.ts";
import { type MessageBuilders, partBuilders } from "./message-builders.ts";

/** Builders for AI SDK model messages. */
export const aiSdk: MessageBuilders<AiSdkMessage> = partBuilders<AiSdkMessage>({
  image: (image) => ({ type: "image", image, mediaType: "image/png" }),
  call: ({ id, name, args = {} }) => ({ type: "tool-call", toolCallId: id, toolName: name, input: args }),
  result: ({ id, name = "tool", text }) => ({
    type: "tool-result",
    toolCallId: id,
    toolName: name,
    output: { type: "text", value: text },
  }),
  resultRole: "tool",
  thought: (text, signature) => ({
    type: "reasoning",
    text,
    ...(signature !== undefined && { providerOptions: { anthropic: { signature } } }),
  }),
});
