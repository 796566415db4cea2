import type { Message } from "./messages.ts";

/** Counts tokens of text. Everything else (roles, images, tools) is built on it by `createMeasure`. */
export interface TokenCounter {
  /** Names the way of counting, e.g. `o200k_base` or `chars/4`. */
  readonly id: string;
  count(text: string): number;
}

/** Counts whole messages: text, roles, calls, results, images, frames, tool schemas. Calibrated. */
export interface Measure {
  readonly counter: TokenCounter;
  text(text: string): number;
  message(message: Message): number;
  /** Tool schemas as the wire carries them; 0 for none. */
  tools(tools: unknown): number;
}

/** What the registry knows about a model. */
export interface ModelInfo {
  readonly id: string;
  /** Context size in tokens. */
  readonly window: number;
  /** Largest answer in tokens. */
  readonly output?: number;
  readonly encoding: "o200k_base" | "cl100k_base";
  /** Tokens by the provider's own count ÷ tokens by `encoding`, to start with. */
  readonly factor: number;
  readonly images: "openai" | "openai-patch" | "anthropic" | "anthropic-large" | "gemini";
  /** US dollars per million tokens. */
  readonly prices?: Prices;
  /** False for a model that isn't in the registry and got the defaults. */
  readonly known: boolean;
}

/** US dollars per million tokens. */
export interface Prices {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
}

/** What the view may use, and how that number came about. */
export interface Budget {
  readonly window: number | undefined;
  /** Kept free for the answer. */
  readonly reserve: number;
  readonly tools: number;
  readonly safety: number;
  /** `min(options.budget, window − reserve − tools − safety)`. */
  readonly budget: number;
  /** Tokens of the head (system prompt, pins, knowledge). */
  readonly head: number;
  /** `budget − head`: what `landAt` and all shares are shares of. */
  readonly room: number;
}

/** A limit: a ratio (0–1] or a number of tokens ≥ 100. Anything between is refused as a likely typo. */
export type Threshold = number;

/** The provider's own numbers for a request, whatever they are called on the wire. */
export interface Usage {
  /** All input tokens, cached ones included. */
  readonly input: number;
  readonly output?: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}
