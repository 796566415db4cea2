import { ConfigError } from "../core/errors.ts";
import type { HostState, Model, Run } from "../core/types.ts";
import type { KvCache, StreamQuery, StreamStrategyName, TurnItem } from "./types.ts";

/** What a strategy decides by. */
interface Situation {
  /** Tokens in the cache. */
  readonly length: number;
  /** `window − reserve`. */
  readonly limit: number;
  /** Length of the cache after the first input of the user; undefined before that. */
  readonly anchor: number | undefined;
  /** Newest tokens that `drop-middle` keeps. */
  readonly tail: number;
  /** Newest seconds that `summarize-and-keep` keeps. */
  readonly keepSeconds: number;
}

/** What to do with a full cache. Plain data. */
export type CachePlan =
  | { readonly type: "nothing" }
  | { readonly type: "keep"; readonly ranges: readonly Run[] }
  | {
      readonly type: "restart";
      /** What the fresh system message holds between system prompt and knowledge. */
      readonly head: "plain" | "summary" | "steps";
      /** Newest seconds of the stream that are fed again. */
      readonly keepSeconds: number;
      /** The user's newest turn is fed again. */
      readonly lastUserTurn: boolean;
    };

/** One way to make a full cache smaller. */
export interface StreamStrategy {
  readonly name: StreamStrategyName;
  /** It asks the model for a summary, so the reserve must hold question and answer. */
  readonly asks: boolean;
  plan(situation: Situation): CachePlan;
}

const NOTHING: CachePlan = { type: "nothing" };
/** Begins anew with the head and the user's newest turn. */
export const DROP_ALL = {
  type: "restart",
  head: "plain",
  keepSeconds: 0,
  lastUserTurn: true,
} as const satisfies CachePlan;

const STRATEGIES: Readonly<Record<StreamStrategyName, Omit<StreamStrategy, "name">>> = {
  "drop-all": { asks: false, plan: () => DROP_ALL },
  /** Keeps the cache up to the first input of the user, and its newest tokens. */
  "drop-middle": {
    asks: false,
    plan({ length, limit, anchor, tail }) {
      if (length <= tail) return NOTHING;
      // Without an anchor, or with one that leaves no room for what comes next: as `drop-all`.
      if (anchor === undefined || anchor + tail >= limit) return DROP_ALL;
      const from = Math.max(anchor, length - tail);
      const ranges = [
        { from: 0, to: anchor },
        { from, to: length },
      ];
      return from <= anchor ? NOTHING : { type: "keep", ranges };
    },
  },
  /** A progress summary in the system message, and nothing else. */
  "summarize-and-drop": {
    asks: true,
    plan: () => ({ type: "restart", head: "summary", keepSeconds: 0, lastUserTurn: false }),
  },
  /** A progress summary in the system message, and the last seconds of the stream. */
  "summarize-and-keep": {
    asks: true,
    plan: ({ keepSeconds }) => ({ type: "restart", head: "summary", keepSeconds, lastUserTurn: false }),
  },
  /** A list of steps, rendered by code, in the system message; the model isn't asked. */
  state: {
    asks: false,
    plan: () => ({ type: "restart", head: "steps", keepSeconds: 0, lastUserTurn: false }),
  },
};

/** The names of all strategies of a stream. */
export const streamStrategies = Object.keys(STRATEGIES) as readonly StreamStrategyName[];

function strategyByName(name: string): StreamStrategy {
  const found = streamStrategies.find((each) => each === name);
  if (found !== undefined) return { name: found, ...STRATEGIES[found] };
  throw new ConfigError({
    option: "strategy",
    message: `there is no strategy ${JSON.stringify(name)} for streams.`,
    fix: `Use one of ${streamStrategies.join(", ")}.`,
  });
}

/**
 * Asks the live cache where things stand. Elapsed time and counts aren't asked for: code writes them. Replace it with
 * the `query` option, for a model that was trained on another one.
 */
export const progressQuery: StreamQuery = {
  role: "user",
  text: "Pause here: the older part of this conversation is about to be cleared, and you will go on from your own notes. In a few plain sentences say what the goal is, which steps are done, in order, what else was asked or mentioned and what was answered, and which step is under way and how far it has come. Only what was said or seen. No greeting, no list, no advice.",
};

/** When and how the session speaks. */
export interface SpeakOptions {
  /** Chance of silence at and above which it says nothing. Default 0.5. A user's turn is always answered. */
  readonly silence?: number;
  /** Tokens of one answer. Default 100. */
  readonly cap?: number;
  /** Default 0: greedy. */
  readonly temperature?: number;
  /** Between two moments at which the model is asked whether to speak. Default 0: at every frame. */
  readonly everySeconds?: number;
  /** Texts that end an answer. */
  readonly stop?: readonly string[];
}

/** What `createStreamSession` takes. */
export interface StreamOptions {
  readonly cache: KvCache;
  /** The cache's size in tokens. */
  readonly window: number;
  /**
   * Tokens kept free: the cache is managed at `window − reserve`. Default 128, or, for a strategy that asks for a
   * summary, what question, frame and answer need.
   */
  readonly reserve?: number;
  /** Default `summarize-and-drop`. */
  readonly strategy?: StreamStrategyName;
  /** Left out: the first system turn. */
  readonly systemPrompt?: string;
  /** Left out: the first system turn with the knowledge marker. */
  readonly knowledge?: string;
  /** Default `Task knowledge:`. */
  readonly knowledgeMarker?: string;
  /** Tokens of one frame. Default 1. */
  readonly tokensPerFrame?: number;
  /** Tokens between two frames. Default 0. */
  readonly separator?: number;
  /** Frames per second, where frames come without their time. Default 2. */
  readonly fps?: number;
  /** False: it never speaks, for recordings whose turns are pushed. */
  readonly speak?: SpeakOptions | false;
  /** How a summary is asked for. Default `progressQuery`. */
  readonly query?: StreamQuery;
  /** Ceiling of a summary in tokens. Default 512. */
  readonly summaryCap?: number;
  /** How long one summary may take. Default 2 minutes. */
  readonly deadlineMs?: number;
  /** Asked for a summary when the cache's own model fails. */
  readonly summarizer?: Model;
  /** Newest tokens that `drop-middle` keeps. Default 512. */
  readonly tail?: number;
  /** Newest seconds that `summarize-and-keep` keeps. Default 10. */
  readonly keepSeconds?: number;
  /** The host's list of steps, for `state`. Left out: the session's own turns. */
  readonly steps?: HostState;
  /** Called after every step. */
  readonly onStep?: (step: StreamStep) => void;
  /** The clock behind `durationMs`, in milliseconds. */
  readonly now?: () => number;
}

/** One step: something was fed, maybe something was said, maybe the cache was managed. */
export interface StreamStep {
  readonly step: number;
  readonly time: number;
  readonly frame: number;
  /** Tokens in the cache at the end of the step. */
  readonly tokens: number;
  readonly pending: number;
  readonly said: string | undefined;
  readonly managed: boolean;
}

type Complete =
  | "window"
  | "reserve"
  | "tokensPerFrame"
  | "separator"
  | "fps"
  | "query"
  | "summaryCap"
  | "deadlineMs"
  | "tail"
  | "keepSeconds";

/** Options, checked and complete. */
export interface Settings extends Required<Pick<StreamOptions, Complete>> {
  readonly strategy: StreamStrategy;
  /** At this many tokens the cache is managed. */
  readonly limit: number;
  /** What a step may fill: a summary must still fit behind it. */
  readonly ceiling: number;
  readonly speak: Required<SpeakOptions> | undefined;
  readonly summarizer: Model | undefined;
}

/** What holds where nobody says anything. */
export const DEFAULTS = {
  reserve: 128,
  /** Frames a second. */
  fps: 2,
  summaryCap: 512,
  deadlineMs: 120_000,
  tail: 512,
  keepSeconds: 10,
};
const DEFAULT_SPEAK: Required<SpeakOptions> = {
  silence: 0.5,
  cap: 100,
  temperature: 0,
  everySeconds: 0,
  stop: [],
};
/** A head may take this share of what the cache holds; the rest is for the stream. */
export const HEAD_SHARE = 0.75;

export function settingsOf(options: StreamOptions): Settings {
  const { cache, window, query = progressQuery, tokensPerFrame = 1, separator = 0 } = options;
  const { summaryCap = DEFAULTS.summaryCap, tail = DEFAULTS.tail, fps = DEFAULTS.fps } = options;
  const { keepSeconds = DEFAULTS.keepSeconds, deadlineMs = DEFAULTS.deadlineMs } = options;
  const strategy = strategyByName(options.strategy ?? "summarize-and-drop");
  whole("window", window, 1);
  whole("tokensPerFrame", tokensPerFrame, 0);
  whole("separator", separator, 0);
  whole("summaryCap", summaryCap, 1);
  whole("tail", tail, 0);
  const queryItem: TurnItem = { type: "turn", role: query.role, text: query.text, at: 0 };
  const askTokens = cache.count(queryItem) + tokensPerFrame + separator;
  const needed = strategy.asks ? askTokens + summaryCap : 0;
  const reserve = whole("reserve", options.reserve ?? Math.max(DEFAULTS.reserve, needed), 0);
  if (reserve < needed)
    throw new ConfigError({
      option: "reserve",
      message: `${reserve} tokens don't hold the question (${askTokens - tokensPerFrame - separator}), a frame (${tokensPerFrame + separator}) and a summary (${summaryCap}).`,
      fix: `Use at least ${needed}, leave it out, or lower \`summaryCap\`.`,
    });
  const limit = window - reserve;
  if (limit <= 0)
    throw new ConfigError({
      option: "window",
      message: `${window} tokens are no more than the reserve of ${reserve}.`,
      fix: "Use a larger window, or a smaller `summaryCap` or `reserve`.",
    });
  if (strategy.name === "drop-middle" && tail >= limit)
    throw new ConfigError({
      option: "tail",
      message: `${tail} tokens of tail leave nothing of ${limit} to drop.`,
      fix: "Use a smaller `tail` or a larger window.",
    });
  const speak = options.speak === false ? undefined : { ...DEFAULT_SPEAK, ...options.speak };
  if (speak !== undefined) whole("speak.cap", speak.cap, 1);
  const settings: Settings = {
    strategy,
    window,
    reserve,
    limit,
    ceiling: strategy.asks ? limit : window,
    tokensPerFrame,
    separator,
    fps: positive("fps", fps),
    speak,
    query,
    summaryCap,
    deadlineMs: positive("deadlineMs", deadlineMs),
    summarizer: options.summarizer,
    tail,
    keepSeconds,
  };
  checkHead(settings, options);
  return settings;
}

/** Head, summary and one step must fit, or the cache would be managed again at once, for ever. */
function checkHead(settings: Settings, { cache, systemPrompt = "", knowledge = "" }: StreamOptions): void {
  const { strategy, limit, summaryCap, tokensPerFrame, separator, speak } = settings;
  const text = [systemPrompt, knowledge].filter((part) => part !== "").join(" ");
  const head = text === "" ? 0 : cache.count({ type: "turn", role: "system", text, at: 0 });
  const summary = strategy.asks || strategy.name === "state" ? summaryCap : 0;
  const step = tokensPerFrame + separator + (speak?.cap ?? 0);
  const most = Math.floor(limit * HEAD_SHARE);
  if (head + summary > most || head + summary + step > limit)
    throw new ConfigError({
      option: "window",
      message: `system prompt and knowledge (${head} tokens)${summary > 0 ? ` and a summary (${summary})` : ""} are too much for ${limit} tokens of cache.`,
      fix: "Use a larger window, or shorten the system prompt, the knowledge or `summaryCap`.",
    });
}

function whole(option: string, value: number, least: number): number {
  if (Number.isInteger(value) && value >= least) return value;
  throw new ConfigError({
    option,
    message: `${value} is not a whole number from ${least}.`,
    fix: "Give a number of tokens.",
  });
}

function positive(option: string, value: number): number {
  if (Number.isFinite(value) && value > 0) return value;
  throw new ConfigError({ option, message: `${value} is not above 0.`, fix: "Give a number above 0." });
}
