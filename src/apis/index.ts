/**
 * The wire formats that precis speaks.
 *
 * @example
 * import { createCompactor } from "precis";
 * import { openaiChat } from "precis/dialects";
 *
 * const compactor = createCompactor({ dialect: openaiChat, window: 128_000 });
 */

/** `ModelMessage` of the AI SDK. */
export { type AiSdkMessage, type AiSdkSystem, aiSdk, type ModelPart } from "./ai-sdk/index.ts";
/** OpenAI's Chat Completions, and every server that speaks it. */
export { type ChatMessage, type ChatPart, type ChatToolCall, openaiChat } from "./chat/index.ts";
/** All of them by id. */
export { dialectById, dialects } from "./dialect-by-id.ts";
/** Gemini's `contents`. */
export {
  type GeminiContent,
  type GeminiPart,
  type GeminiSystem,
  geminiContents,
} from "./gemini/index.ts";
/** Anthropic's Messages API. */
export {
  type AnthropicMessage,
  type AnthropicPart,
  type AnthropicSystem,
  anthropicMessages,
} from "./messages/index.ts";
/** OpenAI's Responses API. */
export { openaiResponses, type ResponsesItem, type ResponsesPart } from "./responses/index.ts";
/** Messages into the wire format of any dialect. */
export { encode, type Transcoded } from "./transcode.ts";
