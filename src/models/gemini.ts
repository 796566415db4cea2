import { askGemini } from "../apis/gemini/api.ts";
import type { Model } from "../core/types.ts";
import type { HttpModelOptions } from "./shared/http.ts";
import { createHttpModel } from "./shared/http-model.ts";

/** What `gemini` takes. */
export interface GeminiOptions extends HttpModelOptions {
  /** The address up to and with `/v1beta`. Default Google's own. */
  readonly baseURL?: string;
}

/**
 * A Gemini model, at Google or at a server that speaks its API.
 *
 * @example
 * const flash = gemini({ apiKey: "your-key", model: "gemini-2.5-flash" });
 * flash.continues; // "gemini-contents"
 */
export function gemini(options: GeminiOptions): Model {
  return createHttpModel("gemini", options, askGemini);
}
