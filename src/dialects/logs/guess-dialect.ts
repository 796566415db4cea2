import type { DialectId } from "../../core/types.ts";
import { type Fields, fieldsOf, isFields, listOf } from "./fields.ts";

/** Part and item types that only one wire format has. */
const TYPES: Readonly<Record<string, DialectId>> = {
  tool_use: "anthropic-messages",
  tool_result: "anthropic-messages",
  thinking: "anthropic-messages",
  redacted_thinking: "anthropic-messages",
  server_tool_use: "anthropic-messages",
  document: "anthropic-messages",
  image_url: "openai-chat",
  input_audio: "openai-chat",
  refusal: "openai-chat",
  input_text: "openai-responses",
  output_text: "openai-responses",
  input_image: "openai-responses",
  input_file: "openai-responses",
  function_call: "openai-responses",
  function_call_output: "openai-responses",
  custom_tool_call: "openai-responses",
  custom_tool_call_output: "openai-responses",
  "tool-call": "ai-sdk",
  "tool-result": "ai-sdk",
};

/** The wire format of a list of messages by the shapes that only one format has; undefined when any would do. */
export function guessDialect(messages: readonly unknown[]): DialectId | undefined {
  let openai = false;
  for (const value of messages) {
    const message = fieldsOf(value);
    const type = message.type;
    if (typeof type === "string" && type !== "message" && TYPES[type] !== undefined) return TYPES[type];
    if (type === "reasoning" && !("role" in message)) return "openai-responses";
    for (const part of listOf(message.content)) {
      const { type: partType, source, image, data } = fieldsOf(part);
      if (typeof partType === "string" && TYPES[partType] !== undefined) return TYPES[partType];
      if (partType === "image") return isFields(source) ? "anthropic-messages" : "ai-sdk";
      if (partType === "reasoning" || (partType === "file" && data !== undefined) || image !== undefined)
        return "ai-sdk";
    }
    if (Array.isArray(message.tool_calls) || "tool_call_id" in message || "function_call" in message)
      return "openai-chat";
    openai ||= message.role === "developer";
  }
  return openai ? "openai-chat" : undefined;
}

/** The wire format of tool schemas. */
export function guessByTools(tools: unknown): DialectId | undefined {
  const tool: Fields = fieldsOf(listOf(tools)[0]);
  if ("input_schema" in tool) return "anthropic-messages";
  if ("function" in tool) return "openai-chat";
  return undefined;
}
