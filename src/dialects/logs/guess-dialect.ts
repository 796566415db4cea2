import type { DialectId } from "../../core/types.ts";
import { isGeminiMessage, TYPES_OF_ONE } from "../shared/other-dialect.ts";
import { type Fields, fieldsOf, isFields, listOf } from "./fields.ts";

/** The wire format of a list of messages by the shapes that only one format has; undefined when any would do. */
export function guessDialect(messages: readonly unknown[]): DialectId | undefined {
  let openai = false;
  for (const value of messages) {
    const message = fieldsOf(value);
    if (isGeminiMessage(message)) return "gemini-contents";
    const type = message.type;
    if (typeof type === "string" && type !== "message" && TYPES_OF_ONE[type] !== undefined)
      return TYPES_OF_ONE[type];
    if (type === "reasoning" && !("role" in message)) return "openai-responses";
    for (const part of listOf(message.content)) {
      const { type: partType, source, image, data } = fieldsOf(part);
      if (typeof partType === "string" && TYPES_OF_ONE[partType] !== undefined) return TYPES_OF_ONE[partType];
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
