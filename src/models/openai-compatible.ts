import type { Model } from "../core/types.ts";
import { chatApi } from "./openai-compatible/chat-api.ts";
import { responsesApi } from "./openai-compatible/responses-api.ts";
import { createEndpoint } from "./shared/endpoint.ts";
import type { Fetch } from "./shared/http.ts";
import { createHttpModel } from "./shared/http-model.ts";
import type { RetryOptions } from "./shared/retry.ts";

/** What `openaiCompatible` takes. */
export interface OpenAICompatibleOptions {
  /** The address up to and with `/v1`. Default OpenAI's own. */
  readonly baseURL?: string;
  /** Needed everywhere but on this machine and in its own network. */
  readonly apiKey?: string | undefined;
  readonly model: string;
  /** Which API the server speaks. Default `chat`. */
  readonly api?: "chat" | "responses";
  /** Sent with every request. One that carries a key replaces `apiKey`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Instead of the one that the request asks for. Left out where the model refuses it. */
  readonly temperature?: number;
  readonly fetch?: Fetch;
  readonly retry?: RetryOptions;
  /** The model's context size. Left out: the registry's, or else what the server tells in its list of models. */
  readonly window?: number;
}

const DEFAULT_BASE_URL = "https://api.openai.com/v1";

/**
 * A model behind OpenAI's API or one that imitates it: OpenAI, Azure, OpenRouter, Groq, Mistral, DeepSeek, Together,
 * Fireworks, Ollama, llama.cpp, vLLM, LM Studio and many more.
 *
 * @example
 * const local = openaiCompatible({ baseURL: "http://localhost:11434/v1", model: "qwen3:8b", window: 32_768 });
 * local.id; // "qwen3:8b"
 */
export function openaiCompatible(options: OpenAICompatibleOptions): Model {
  const { api = "chat", model, headers, fetch, retry, window, temperature } = options;
  const path = api === "responses" ? "/responses" : "/chat/completions";
  const endpoint = createEndpoint({
    name: "openaiCompatible",
    path,
    baseURL: options.baseURL ?? DEFAULT_BASE_URL,
    apiKey: options.apiKey,
    model,
    headers,
    fetch,
    keyHeaders: (key) => ({ authorization: `Bearer ${key}` }),
  });
  return createHttpModel({
    endpoint,
    api: api === "responses" ? responsesApi : chatApi,
    window,
    temperature,
    retry,
    path,
  });
}
