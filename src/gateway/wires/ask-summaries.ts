import type { Model } from "../../core/types.ts";
import { anthropic, gemini, openaiCompatible } from "../../models/index.ts";
import type { Wire } from "./index.ts";

interface SummarizerOptions {
  readonly model: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly apiKey?: string;
  readonly window?: number;
  /** The address of a path of ours (`/v1/…`) at the upstream. */
  addressOf(path: string): string;
  /** The conversation's own model writes them. */
  readonly isSame: boolean;
}

/** A client of the provider whose API a wire is, which writes summaries. */
export function modelBehind(wire: Wire, { addressOf, isSame, ...shared }: SummarizerOptions): Model {
  /** The base URL of an API, by the beginning of its paths. */
  const baseURL = (beginning: string) => addressOf(`${beginning}/x`).replace(/\/x(?=\?|$)/, "");
  switch (wire.convention) {
    case "anthropic":
      return anthropic({ ...shared, baseURL: baseURL("/v1") });
    case "gemini":
      return gemini({ ...shared, baseURL: baseURL("/v1beta") });
    case "openai": {
      // Another model is asked in the API that every server has.
      const api = isSame && wire.api === "responses" ? "responses" : "chat";
      return openaiCompatible({ ...shared, baseURL: baseURL("/v1"), api });
    }
  }
}
