import type { OptionsOf, TUNING } from "../options.ts";
import type { Dialect } from "./dialect.ts";
import type { Model, Summarize } from "./model.ts";
import type { Store } from "./state.ts";
import type { ModelInfo, TokenCounter } from "./tokens.ts";

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
