import type { Placement, StrategyName, SummaryOptions } from "../../core/types.ts";
import type { profiles } from "../../profiles/index.ts";

export type ProfileName = keyof typeof profiles;

/** What a person may set for all chats and, partly or wholly, for one. Left out: the level above decides. */
export interface ChatSettings {
  readonly model?: string;
  readonly profile?: ProfileName;
  readonly strategy?: StrategyName;
  /** The model's window in tokens, instead of the registry's. */
  readonly window?: number;
  /** Cap on what the view may use, in tokens. */
  readonly budget?: number;
  readonly startAt?: number;
  readonly landAt?: number;
  /** Tokens kept free for the answer. */
  readonly reserve?: number;
  readonly placement?: Placement;
  /** Compact by itself. */
  readonly auto?: boolean;
  /** Largest answer in tokens. */
  readonly maxTokens?: number;
  readonly temperature?: number;
  /** How much of the landing the newest messages get, word for word (a share). */
  readonly tail?: number;
  /** At most this many of the newest messages stay word for word. */
  readonly tailMessages?: number;
  /** At most this many of the newest turns stay word for word. */
  readonly tailTurns?: number;
  /** Compact as soon as so many messages, or turns, came since the last compaction, whatever their size. */
  readonly triggerMessages?: number;
  readonly triggerTurns?: number;
  /** Who writes summaries: `extractive` (no model), `same` (the chat's own model) or a model by its name. */
  readonly summarizer?: string;
  /** Longest narrative of a compaction, in tokens. */
  readonly summaryCap?: number;
  /** Tools of precis's own that the model gets. */
  readonly tools?: readonly ("recall" | "compact")[];
  readonly summaryTemperature?: number;
  readonly summaryMode?: NonNullable<SummaryOptions["mode"]>;
  /** Words of one's own at the beginning of the summary message. */
  readonly preface?: string;
  /** Marks for the provider's cache at the ends of system prompt and summary. */
  readonly cacheBreakpoints?: boolean;
}

/** Settings of the page and of chats that have none of their own. */
export interface GlobalSettings extends ChatSettings {
  readonly showMeter?: boolean;
  readonly theme?: "system" | "light" | "dark";
}

/** What changes. Left out: stays as it is. `null`: back to the default. */
export type SettingsChange<S> = { readonly [K in keyof S]?: S[K] | null };

/** A strategy as a person reads it. */
interface StrategyChoice {
  readonly name: StrategyName;
  readonly label: string;
  readonly help: string;
}

/** Everything that a settings page needs. */
export interface SettingsAnswer {
  readonly settings: GlobalSettings;
  /** What holds where nothing is set, by who says it. `inForce` looks it up. */
  readonly given: {
    /** By the name of the upstream. */
    readonly upstreams: Readonly<Record<string, ChatSettings>>;
    /** The config file, environment and flags of the server. */
    readonly config: ChatSettings;
    readonly profiles: Readonly<Record<ProfileName, ChatSettings>>;
    /** Where nobody says anything. What depends on the conversation is left out. */
    readonly builtIn: ChatSettings;
  };
  readonly profiles: readonly ProfileName[];
  readonly strategies: readonly StrategyChoice[];
}
