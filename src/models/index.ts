/**
 * Models that write summaries: anything that speaks OpenAI's, Anthropic's or Gemini's API, and any model of the AI SDK. Plain
 * `fetch`, so it runs in Node, browsers and edge runtimes alike.
 *
 * @example
 * import { openaiCompatible } from "precis/models";
 *
 * const model = openaiCompatible({ baseURL: "http://localhost:11434/v1", model: "qwen3:8b", window: 32_768 });
 * model.continues; // "openai-chat"
 */

/** Any language model of the AI SDK. */
export { type AiSdkLanguageModel, type AiSdkModelOptions, aiSdkModel } from "./ai-sdk.ts";
/** Claude. */
export { type AnthropicOptions, anthropic } from "./anthropic.ts";
/** Gemini. */
export { type GeminiOptions, gemini } from "./gemini.ts";
/** A folder through which any program or person can be the model. */
export { type MailboxOptions, mailbox } from "./mailbox.ts";
/** OpenAI and everyone who imitates it. */
export { type OpenAICompatibleOptions, openaiCompatible } from "./openai-compatible.ts";
/** The part of `fetch` that models use. */
export type { Fetch } from "./shared/http.ts";
/** Recognises every provider's "too long". */
export { type Overflow, overflowOf } from "./shared/overflow.ts";
/** How failed requests are tried again. */
export type { RetryOptions } from "./shared/retry.ts";
