import type { Model } from "../core/types.ts";
import { generateContentApi } from "./gemini/generate-content-api.ts";
import { createEndpoint } from "./shared/endpoint.ts";
import type { Fetch } from "./shared/http.ts";
import { createHttpModel } from "./shared/http-model.ts";
import type { RetryOptions } from "./shared/retry.ts";

/** What `gemini` takes. */
export interface GeminiOptions {
  readonly apiKey?: string | undefined;
  readonly model: string;
  /** The address up to and with `/v1beta`. Default Google's own. */
  readonly baseURL?: string;
  /** Sent with every request. One that carries a key replaces `apiKey`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Instead of the one that the request asks for. */
  readonly temperature?: number;
  readonly fetch?: Fetch;
  readonly retry?: RetryOptions;
  /** The model's context size. Left out: the registry's, or else what the server tells in its list of models. */
  readonly window?: number;
}

const DEFAULT_BASE_URL = "https://generativelanguage.googleapis.com/v1beta";

/**
 * A Gemini model, at Google or at a server that speaks its API.
 *
 * @example
 * const flash = gemini({ apiKey: "your-key", model: "gemini-2.5-flash" });
 * flash.continues; // "gemini-contents"
 */
export function gemini(options: GeminiOptions): Model {
  const { model, headers, fetch, retry, window, temperature } = options;
  const path = `/models/${encodeURIComponent(model.replace(/^models\//, ""))}:generateContent`;
  const endpoint = createEndpoint({
    name: "gemini",
    path,
    baseURL: options.baseURL ?? DEFAULT_BASE_URL,
    apiKey: options.apiKey,
    model,
    headers,
    fetch,
    keyHeaders: (key) => ({ "x-goog-api-key": key }),
  });
  return createHttpModel({ endpoint, api: generateContentApi, window, temperature, retry, path });
}
