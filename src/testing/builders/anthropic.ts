import type { AnthropicMessage } from "../../apis/index.ts";
import { type MessageBuilders, partBuilders } from "./message-builders.ts";

/** Builders for Anthropic Messages: the results of parallel calls share one user message. */
export const anthropic: MessageBuilders<AnthropicMessage> = partBuilders<AnthropicMessage>({
  image: (data) => ({ type: "image", source: { type: "base64", media_type: "image/png", data } }),
  call: ({ id, name, args = {} }) => ({ type: "tool_use", id, name, input: args }),
  result: ({ id, text }) => ({ type: "tool_result", tool_use_id: id, content: text }),
  resultRole: "user",
  thought: (thinking, signature = "") => ({ type: "thinking", thinking, signature }),
});
