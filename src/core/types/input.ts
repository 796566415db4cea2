import type { HostState, Select } from "./options.ts";
import type { Run } from "./plan.ts";

/** What one `fit` takes beside the transcript. */
export interface FitInput<M> {
  readonly state?: unknown;
  /** The system prompt, where the format keeps it apart. */
  readonly system?: unknown;
  /** The tools of the request, as the wire carries them. Counted against the window. */
  readonly tools?: unknown;
  /** Largest answer that the request asks for (`max_tokens`): an upper bound of what is kept free for it. */
  readonly maxAnswer?: number;
  readonly pins?: Select<M>;
  readonly knowledge?: Select<M>;
  readonly hostState?: HostState;
  /** Messages for this request only: counted and sent last, never stored or summarised. */
  readonly extras?: readonly M[];
  /** The whole request, for summaries by continuation. */
  readonly request?: unknown;
  /** The clock, in milliseconds. Default `Date.now()`. */
  readonly now?: number;
  /** When the last request of this conversation was sent. */
  readonly lastRequestAt?: number;
  /** How long the provider was seen to keep its prompt cache, in milliseconds; 0: it has none. Default: the option `cache.ttlMs`. */
  readonly cacheTtlMs?: number;
  /**
   * `must-stay`: the host can't switch thinking off for a request. While a round with signed reasoning is under way, only
   * what stands behind that reasoning is shortened, as far as that is enough. Default `may-stop`.
   */
  readonly thinking?: "may-stop" | "must-stay";
  /**
   * The provider refused the last view as too long: compact harder, and stay below for an hour. What `overflowOf` reads:
   * the provider's own count of the view, and its limit, as far as it named them.
   */
  readonly rejected?: boolean | { readonly tokens?: number; readonly limit?: number };
  readonly signal?: AbortSignal;
}

/** What one `compact` takes beside the transcript. */
export interface CompactInput<M> extends FitInput<M> {
  /** What the summary should care about most. */
  readonly focus?: string;
  /** Fill this many tokens (or this share of the transcript); no checkpoint is written unless `adopt`. */
  readonly budget?: number;
  readonly adopt?: boolean;
  /**
   * Hide so many of the first messages and leave the rest as the view shows it: `upTo: 12` speaks for `#1–12`. What must stay
   * (head, last user message, a round that waits for an answer) stays.
   */
  readonly upTo?: number;
  /** The same for a run of messages: `{ from: 4, to: 12 }` speaks for `#5–12`. Not together with `upTo` or `budget`. */
  readonly range?: Run;
  /** How long to wait for a model-written summary. Default 60 seconds. */
  readonly waitMs?: number;
}
