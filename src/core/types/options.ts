import type { Dialect } from "./dialect.ts";
import type { Model } from "./model.ts";
import type { StrategyName } from "./plan.ts";
import type { Store } from "./state.ts";
import type { ModelInfo, Threshold, TokenCounter } from "./tokens.ts";

/** How much of the newest conversation stays word for word. The first limit that is reached ends the tail. */
export interface TailOptions {
  /** Share of the landing. Default 0.4. */
  readonly share?: number;
  readonly tokens?: number;
  readonly messages?: number;
  readonly turns?: number;
  readonly rounds?: number;
  /** Too big for its share: fewer, but not fewer than this. Default 4. */
  readonly minMessages?: number;
}

/** Where the summary message goes. */
export type Placement =
  /** A user message, tagged `<conversation-summary>`. */
  | "user"
  /** A second system message (where the system prompt stands apart: a second block of it). */
  | "system"
  /** Appended to the system prompt. */
  | "merged";

/** How summaries are asked for. */
export interface SummaryOptions {
  /**
   * Id of the prompt: `agent` (work), `talk`, `citations` (retrieval), `progress`, `concise`; or a text of the host's own.
   * Default: by the kind of conversation.
   */
  readonly prompt?: string | { readonly id: string; readonly version: number; readonly text: string };
  /** Ceiling of the whole narrative, in tokens, at least 50: of all summaries that a view shows together. Default: half of the summary message, at most 6,000. */
  readonly cap?: number;
  /**
   * Where there is one summary that takes in what is new: beside it the model notes what the next one is written from, up to three times as
   * long and on top of `cap`. Default: where neither host nor profile set a `cap`.
   */
  readonly notes?: boolean;
  readonly temperature?: number;
  /** A sentence or two of the host's own at the beginning of the summary message, behind what precis says there. At most 500 characters. */
  readonly preface?: string;
  /** Use only this rung of the summariser's ladder. */
  readonly mode?: "continuation" | "full" | "simple" | "extractive";
  /**
   * `segments`: each segment once, merged in eights. `rolling`: one summary, which takes in what is new. Default: segments where records
   * have room for 2,000 tokens or more in the summary message, otherwise rolling.
   */
  readonly merge?: "segments" | "rolling";
  /**
   * Input tokens that summaries may read, as a share of those that the chat itself has taken. What is asked for by hand isn't held back.
   * Default 0.25.
   */
  readonly costShare?: number;
  /** How long one summary may take in all, retries included. Default 2 minutes. */
  readonly deadlineMs?: number;
}

/** What the provider's prompt cache costs and how long it lasts; drives the moment of compaction. */
export interface CacheOptions {
  /** Time-to-live of the provider's prompt cache. Default 5 minutes. */
  readonly ttlMs?: number;
  /** Price of a cached read, in units of the input price. Default 0.1. */
  readonly read?: number;
  /** Price of a cache write. Default 1.25. */
  readonly write?: number;
  /** Price of an output token. Default 5. */
  readonly output?: number;
}

/** What of the hidden conversation comes back by itself. */
export interface RecallOptions {
  /** Quote what a user message asks for and the view hides. On in the profiles `agent`, `editor` and `desktop`. */
  readonly auto?: boolean;
  /** Tokens that one user message may have quoted. Default: 5 % of the budget, at most 2,000. */
  readonly tokens?: number;
}

/** Every option that a profile can set and a host can override. */
export interface Tuning {
  /** A cap on what the view may use, in tokens. Needed when there is no window. */
  readonly budget?: number;
  readonly strategy?: StrategyName;
  /** Pressure at which compaction starts. Default 0.8; 0.95 for budgets below 32k where no model is asked. */
  readonly startAt?: Threshold;
  /** Where a compaction lands, as a share of room, below `startAt`. Default 0.3 (room ≤ 45k) to 0.4 (room ≥ 100k), at most half of a given `startAt`. */
  readonly landAt?: Threshold;
  readonly tail?: TailOptions;
  /** Tokens kept free for the answer. Default: what answers really take; at first min(`maxAnswer`, window ÷ 8, 8,192). */
  readonly reserve?: Threshold;
  /** Tokens kept free for counting errors. Default 0.02 of the window. */
  readonly safety?: Threshold;
  readonly placement?: Placement;
  /** Count triggers, beside the token trigger. */
  readonly triggers?: { readonly messages?: number; readonly turns?: number };
  /** False: only `compact` and a full budget compact. Default true. */
  readonly auto?: boolean;
  /** How long a turn may wait for a summary. Default 0: never. */
  readonly waitMs?: number;
  /** Images: all but the last user message's become placeholders, or all but the newest n. */
  readonly images?: { readonly keep: "last-user-message" | number };
  readonly cache?: CacheOptions;
  /** Mark the ends of system prompt and summary for the provider's cache, where the format has marks. Default false. */
  readonly cacheBreakpoints?: boolean;
  readonly summary?: SummaryOptions;
  readonly recall?: RecallOptions;
  /** Tokens of one video frame and of the separator between frames. */
  readonly frames?: { readonly tokensPerFrame: number; readonly separator?: number };
}

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
  /** The model that writes summaries. Left out, or "extractive": no model and no network. */
  readonly summarizer?: Model | "extractive";
  /** Left out: a bounded in-memory one. */
  readonly store?: Store;
  /**
   * A secret of the host's (16 characters or more) that states are signed with, so that nobody else can write one. Of
   * several the first signs and all are believed, so that a key can be replaced.
   */
  readonly stateKey?: string | readonly string[];
}

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
