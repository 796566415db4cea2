import { askGemini } from "../apis/gemini/api.ts";
import type { Model } from "../core/types.ts";
import { createHttpModel, type HttpModelOptions } from "./shared/http-model.ts";

/** What `gemini` takes. */
export interface GeminiOptions extends HttpModelOptions {
  /** The address up to and with `/v1beta`. Default Google's own. */
  readonly baseURL?: string;
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
  return createHttpModel(options, {
    name: "gemini",
    api: askGemini,
    path: `/models/${encodeURIComponent(options.model.replace(/^models\//, ""))}:generateContent`,
    baseURL: options.baseURL ?? DEFAULT_BASE_URL,
    keyHeaders: (key) => ({ "x-goog-api-key": key }),
  });
}
