/** Prices in units of the price of an input token, and how long a prompt cache lives. */
export interface CachePrices {
  readonly id: string;
  readonly read: number;
  readonly write: number;
  readonly output: number;
  /** Milliseconds between two requests after which nothing is cached; infinite for a cache that never expires. */
  readonly ttlMs: number;
}

const FIVE_MINUTES_MS = 5 * 60_000;

export const PRICES = {
  anthropic: { id: "anthropic", read: 0.1, write: 1.25, output: 5, ttlMs: FIVE_MINUTES_MS },
  openai: { id: "openai", read: 0.1, write: 1, output: 5, ttlMs: FIVE_MINUTES_MS },
} as const satisfies Record<string, CachePrices>;

/** Tokens of the question that a summary is asked for with, as one more message of the conversation. */
const QUESTION_TOKENS = 500;
/** Tokens of the summary that a model writes. */
const SUMMARY_TOKENS = 2_500;

/** One request: its prompt, what of it the provider has cached, and its answer. All in tokens. */
export interface CostedRequest {
  readonly prompt: number;
  readonly cached: number;
  readonly answer: number;
}

/** What a request costs: cached tokens are read, the rest is written, the answer is output. */
export const requestCost = ({ prompt, cached, answer }: CostedRequest, prices: CachePrices): number =>
  prices.read * cached + prices.write * (prompt - cached) + prices.output * answer;

/** What a summary by the conversation's own model costs: the prompt once more, the question, the summary. */
export const summaryCost = (prompt: number, isCold: boolean, prices: CachePrices): number =>
  (isCold ? prices.write : prices.read) * prompt +
  prices.write * QUESTION_TOKENS +
  prices.output * SUMMARY_TOKENS;
