import type { OptionsOf, TUNING } from "../options.ts";
import type { Dialect, Model, ModelInfo, Summarize, TokenCounter } from "./dialect.ts";
import type {
  FitResult,
  Observation,
  Plan,
  PressureReport,
  Reason,
  Report,
  Run,
  RungName,
} from "./report.ts";
import type { State, Store } from "./state.ts";

/** Every option that a profile can set and a host can override. */
export type Tuning = OptionsOf<typeof TUNING>;
/** How much of the newest conversation stays word for word. */
export type TailOptions = NonNullable<Tuning["tail"]>;
/** Where the summary message goes. */
export type Placement = NonNullable<Tuning["placement"]>;
/** How summaries are asked for. */
export type SummaryOptions = NonNullable<Tuning["summary"]>;
/** What the provider's prompt cache costs and how long it lasts. */
export type CacheOptions = NonNullable<Tuning["cache"]>;
/** What of the hidden conversation comes back by itself. */
export type RecallOptions = NonNullable<Tuning["recall"]>;

/** A named set of options. */
export interface Profile extends Tuning {
  readonly name: string;
}

/** What `createCompactor` takes. */
export interface CompactorOptions<M, S = unknown> extends Tuning {
  readonly dialect: Dialect<M, S>;
  /** The model's context size in tokens, or the model to look it up by. */
  readonly window?: number | { readonly model: string };
  readonly profile?: Profile;
  /** How tokens are counted. Default: the exact tokenizer of the model, or o200k_base. */
  readonly counter?: TokenCounter;
  /** Registry overrides by model id. */
  readonly models?: Readonly<Record<string, Partial<ModelInfo>>>;
  /** The model that writes summaries, or a function that asks one. Left out, or "extractive": no model and no network. */
  readonly summarizer?: Model | Summarize | "extractive";
  /** Left out: a bounded in-memory one. */
  readonly store?: Store;
  /**
   * A secret of the host's (16 characters or more) that states are signed with, so that nobody else can write one. Of
   * several the first signs and all are believed, so that a key can be replaced.
   */
  readonly stateKey?: string | readonly string[];
}

/** One of these is needed: without any of them nobody knows what a view must fit. */
export type Sized =
  | { readonly profile: Profile & { readonly budget: number } }
  | { readonly budget: number }
  | { readonly window: number | { readonly model: string } };

/** Selects messages by index or by a test. */
export type Select<M> = readonly number[] | ((message: M, index: number) => boolean);

/** Steps or tasks that the host tracks; rendered by code into the summary message. */
export type HostState =
  | string
  | {
      readonly title?: string;
      readonly steps: readonly {
        readonly text: string;
        readonly status: "open" | "active" | "done" | "blocked";
      }[];
    };

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

/** What `on` can listen to, with what the listener gets. */
export interface Events {
  readonly started: { readonly reason: Reason };
  readonly progress: { readonly done: number; readonly total: number; readonly label: string };
  readonly completed: { readonly report: Report; readonly state: State };
  readonly failed: { readonly error: Error; readonly fallback: RungName };
  readonly cancelled: { readonly reason: Reason };
  readonly pressure: {
    readonly pressure: number;
    readonly tokens: number;
    readonly budget: number;
    /** Upper bounds, as in `report.tokens`. */
    readonly atMost?: true;
  };
}

/** What `summarize` takes. */
export interface SummarizeInput<M> extends FitInput<M> {
  /** What it should care about most. */
  readonly focus?: string;
  /** Tokens that it may have. Default 2,500. */
  readonly cap?: number;
  /**
   * `text` (default): for people: goal, state, decisions, files, open points, without pointers. `record`: for a model that
   * goes on from it; without a model that writes it, it is a summary message with its tag.
   */
  readonly form?: "text" | "record";
}

/** What `handover` takes. */
export interface HandoverInput<M> extends FitInput<M> {
  /** What the fresh session is for. */
  readonly goal: string;
  /** Tokens that the text may have. Default 2,500. */
  readonly cap?: number;
}

/** The start of a fresh session. */
export interface HandoverResult<M> {
  /** Markdown: the goal, and what of the earlier session matters for it. */
  readonly text: string;
  readonly tokens: number;
  /** The same as a user message in the dialect's wire format: the first of the fresh session. */
  readonly message: M;
  readonly report: Report;
}

/**
 * Keeps conversations of one dialect inside their budget. `T` is the host's own message type: what goes in comes out. `S`
 * is the system prompt of formats that keep it apart.
 */
export interface Compactor<M, S = unknown> {
  /** The wire format that it was made for. */
  readonly dialect: Dialect<M, S>;
  /** The view for the next request. Never mutates its input, never waits for a summary unless told to. */
  fit<T extends M>(transcript: readonly T[], input?: FitInput<T>): Promise<FitResult<T, S>>;
  /** Compacts now. Without `budget` it lands at `landAt` or half of the present view, whichever is less. */
  compact<T extends M>(transcript: readonly T[], input?: CompactInput<T>): Promise<FitResult<T, S>>;
  /** What `fit` would do, as plain data. */
  plan<T extends M>(transcript: readonly T[], input?: FitInput<T>): Promise<Plan>;
  /** How full the current view is. */
  pressure<T extends M>(transcript: readonly T[], input?: FitInput<T>): Promise<PressureReport>;
  /** Call when idle, shortly before the provider's cache expires: does ahead what the next `fit` may need. */
  prepare<T extends M>(transcript: readonly T[], input?: FitInput<T>): Promise<State>;
  /**
   * After a reply or a tool result: calibrates the counter from the provider's numbers, with a report or a transcript
   * learns how long answers of that conversation are, and with a transcript checks whether a summary should be begun now
   * instead of at the next request. Resolves to the newer state if a transcript is given.
   */
  observe<T extends M>(observation: Observation<T>): Promise<State | undefined>;
  /** A standalone summary of the transcript; changes no state. */
  summarize<T extends M>(
    transcript: readonly T[],
    input?: SummarizeInput<T>,
  ): Promise<{ readonly text: string; readonly tokens: number; readonly report: Report }>;
  /** The start of a fresh session for a stated goal; changes no state. Without a model the same input gives the same text. */
  handover<T extends M>(transcript: readonly T[], input: HandoverInput<T>): Promise<HandoverResult<T>>;
  /** Skips the newest checkpoint and suspends automatic compaction until pressure has grown by 0.1 or reached 1. */
  undo<T extends M>(transcript: readonly T[], input?: FitInput<T>): Promise<State>;
  /** Makes the checkpoint anew from the originals. */
  rebuild<T extends M>(transcript: readonly T[], input?: FitInput<T>): Promise<FitResult<T, S>>;
  /** Resolves when no background work is under way. */
  settled(): Promise<void>;
  /** Ends it for good, with the work under way: later calls throw a `ClosedError`. */
  close(): Promise<void>;
  on<K extends keyof Events>(event: K, listener: (payload: Events[K]) => void): () => void;
}
