import { askChat } from "../apis/chat/api.ts";
import { askResponses } from "../apis/responses/api.ts";
import type { Model } from "../core/types.ts";
import type { HttpModelOptions } from "./shared/http.ts";
import { createHttpModel } from "./shared/http-model.ts";

/** What `openaiCompatible` takes. */
export interface OpenAICompatibleOptions extends HttpModelOptions {
  /** The address up to and with `/v1`. Default OpenAI's own. */
  readonly baseURL?: string;
  /** Which API the server speaks. Default `chat`. */
  readonly api?: "chat" | "responses";
}

/**
 * A model behind OpenAI's API or one that imitates it: OpenAI, Azure, OpenRouter, Groq, Mistral, DeepSeek, Together,
 * Fireworks, Ollama, llama.cpp, vLLM, LM Studio and many more.
 *
 * @example
 * const local = openaiCompatible({ baseURL: "http://localhost:11434/v1", model: "qwen3:8b", window: 32_768 });
 * local.id; // "qwen3:8b"
 */
export function openaiCompatible(options: OpenAICompatibleOptions): Model {
  return createHttpModel("openaiCompatible", options, options.api === "responses" ? askResponses : askChat);
}
