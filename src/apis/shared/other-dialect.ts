import { isRecord } from "../../core/is-record.ts";
import type { DialectId } from "../../core/types.ts";

/** Types of parts and items that only one wire format has. */
export const TYPES_OF_ONE: Readonly<Record<string, DialectId>> = {
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

/** Types that servers of other formats take as well: alone they prove nothing. */
const SHARED: ReadonlySet<string> = new Set(["thinking", "redacted_thinking", "document", "refusal"]);

/** Names under which the dialects are exported. */
const EXPORTS: Readonly<Record<string, string>> = {
  "openai-chat": "openaiChat",
  "openai-responses": "openaiResponses",
  "anthropic-messages": "anthropicMessages",
  "ai-sdk": "aiSdk",
  "gemini-contents": "geminiContents",
};

const UI_FIX =
  "These are messages of the AI SDK's user interface: convert them with its `convertToModelMessages`, and use the dialect `aiSdk`.";

/** What to do about a message that isn't of the dialect `own`, if it is one of another. Undefined where that can't be told. */
export function otherDialectFix(own: DialectId, message: unknown): string | undefined {
  if (!isRecord(message)) return undefined;
  if (isGeminiMessage(message)) return own === "gemini-contents" ? undefined : useDialect("gemini-contents");
  const { role, content, parts } = message;
  if (content === undefined && Array.isArray(parts) && typeof role === "string") return UI_FIX;
  const other = otherDialect(own, message);
  return other === undefined ? undefined : useDialect(other);
}

/** What to do about a part that the dialect `own` doesn't know, if it is one of another. */
export function otherPartFix(own: DialectId, part: unknown): string | undefined {
  const other = dialectOfPart(part);
  return other === undefined || other === own ? undefined : useDialect(other);
}

/** Messages of user interfaces have parts as well, but theirs name their type. */
export function isGeminiMessage(message: Record<string, unknown>): boolean {
  const { role, content, parts } = message;
  if (content !== undefined || !Array.isArray(parts)) return false;
  return (
    role === "model" || (parts.length > 0 && parts.every((part) => isRecord(part) && part.type === undefined))
  );
}

function useDialect(id: DialectId): string {
  return `That is the format \`${id}\`: use the dialect \`${EXPORTS[id] ?? id}\`.`;
}

function otherDialect(own: DialectId, wire: Record<string, unknown>): DialectId | undefined {
  const { type, role, content } = wire;
  for (const part of [wire, ...(Array.isArray(content) ? content : [])]) {
    const other = dialectOfPart(part);
    if (other !== undefined && other !== own) return other;
  }
  const isItem = role === undefined && typeof type === "string";
  if (isItem) return own === "openai-responses" ? undefined : "openai-responses";
  const isChat = hasChatFields(wire) || role === "function" || role === "developer";
  return isChat && own !== "openai-chat" ? "openai-chat" : undefined;
}

/** Fields that only messages of Chat Completions have. */
export function hasChatFields(wire: Record<string, unknown>): boolean {
  return wire.tool_calls !== undefined || wire.tool_call_id !== undefined || wire.function_call !== undefined;
}

function dialectOfPart(part: unknown): DialectId | undefined {
  if (!isRecord(part) || typeof part.type !== "string") return undefined;
  const { type, source, image, data } = part;
  if (type === "image")
    return isRecord(source) ? "anthropic-messages" : image === undefined ? undefined : "ai-sdk";
  if (type === "file") return data === undefined ? undefined : "ai-sdk";
  return Object.hasOwn(TYPES_OF_ONE, type) && !SHARED.has(type) ? TYPES_OF_ONE[type] : undefined;
}
