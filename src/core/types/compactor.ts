import type { Dialect } from "./dialect.ts";
import type { CompactInput, FitInput } from "./input.ts";
import type { Plan, Reason, RungName } from "./plan.ts";
import type { FitResult, Observation, PressureReport, Report } from "./report.ts";
import type { State } from "./state.ts";

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
