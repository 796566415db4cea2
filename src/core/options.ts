/** The wire formats that precis speaks. */
export const DIALECT_IDS = [
  "openai-chat",
  "openai-responses",
  "anthropic-messages",
  "ai-sdk",
  "gemini-contents",
] as const;

/** The names of the strategies. The type, the config, the command line, headers and the page take them from here. */
export const STRATEGY_NAMES = [
  "none",
  "truncate-oldest",
  "drop-middle",
  "drop-all",
  "summarize-oldest",
  "summarize-middle",
  "summarize-and-drop",
  "tool-summaries",
] as const;

/**
 * Every option of a conversation: its name, what it may be, its default, and a sentence. The types of the library, its checks, the
 * config's schema, the headers of a request, the settings of the page and of `precis chat`, and the tables of the reference are
 * made from this table; a new option is one line of it, and what the engine does with it.
 */

/** A threshold above 1 is a number of tokens, and less than this many is surely a slip. */
export const LEAST_TOKENS = 100;
/** So is more than this many: no model has such a window. */
export const MOST_TOKENS = 100_000_000;
/** The shortest cap of a summary. A sentence or two: models don't write anything useful that is shorter (tokens). */
export const LEAST_CAP = 50;
/** A host's own words before a summary (characters): every view carries them. */
const MOST_PREFACE = 500;
/** Prices are in units of the price of an input token; none is that much dearer, and no summary may cost more than this many chats. */
const MOST_TIMES = 1_000;

/** What the value of an option may be, as data. */
export type Kind =
  /** Tokens that may be fewer than a window has. */
  | { readonly is: "tokens"; readonly least: number }
  /** A size like a window's: at least 100 tokens in a config. */
  | { readonly is: "size" }
  /** A share up to 1, or a number of tokens from 100 on; with `none` it may be 0. */
  | { readonly is: "threshold"; readonly none?: true }
  | { readonly is: "share" }
  | { readonly is: "count"; readonly what: string; readonly least: number; readonly most?: number }
  | { readonly is: "number"; readonly what: string; readonly least: number; readonly most: number }
  /** Milliseconds. */
  | { readonly is: "time"; readonly least: number }
  | { readonly is: "switch" }
  | { readonly is: "choice"; readonly what: string; readonly names: readonly string[] }
  | { readonly is: "text"; readonly what: string; readonly most: number; readonly least?: 1 }
  /** A prompt by its name, or the host's own. */
  | { readonly is: "prompt" }
  /** One of the names, or how many. */
  | { readonly is: "choice or count"; readonly names: readonly string[]; readonly of: string };

/** One option. `type` is never there: it carries the type of the value. */
export type Row<T = unknown> = Kind & {
  readonly type?: T;
  readonly default?: T;
  /** Can't be left out of its group. */
  readonly needed?: true;
};
/** Options that are made of options. */
export interface Group<R = { readonly [name: string]: Row }> {
  readonly rows: R;
}
export type Rows = { readonly [name: string]: Row | Group };

/** A ratio up to 1, or a number of tokens from 100 on. */
type Threshold = number;

/** A row whose type says whether it has a default. */
type RowWith<T, D> = Row<T> & (undefined extends D ? unknown : { readonly default: D });

const row = <T, D extends T | undefined = undefined>(kind: Kind, standard?: D) =>
  ({ ...kind, ...(standard !== undefined && { default: standard }) }) as RowWith<T, D>;
const needed = <R extends Row>(one: R): R & { readonly needed: true } => ({ ...one, needed: true });
const group = <R extends { readonly [name: string]: Row }>(rows: R): Group<R> => ({ rows });
const tokens = <D extends number | undefined = undefined>(least: number, standard?: D) =>
  row<number, D>({ is: "tokens", least }, standard);
const count = <D extends number | undefined = undefined>(of: string, standard?: D) =>
  row<number, D>({ is: "count", what: `number of ${of}`, least: 1 }, standard);
const number = <D extends number | undefined = undefined>(what: string, most: number, standard?: D) =>
  row<number, D>({ is: "number", what, least: 0, most }, standard);
const time = <D extends number | undefined = undefined>(least: number, standard?: D) =>
  row<number, D>({ is: "time", least }, standard);
const flag = <D extends boolean | undefined = undefined>(standard?: D) =>
  row<boolean, D>({ is: "switch" }, standard);
const choice = <const N extends string, D extends NoInfer<N> | undefined = undefined>(
  what: string,
  names: readonly N[],
  standard?: D,
) => row<N, D>({ is: "choice", what, names }, standard);

export const TUNING = {
  /** The most tokens that the view may use. Required without a window. Default: what the window leaves. */
  budget: row<number>({ is: "size" }),
  /** How precis makes room. */
  strategy: choice("strategy", STRATEGY_NAMES, "summarize-oldest"),
  /**
   * Pressure (view ÷ budget) that triggers a compaction. Default 0.8, spread over 0.78–0.82 so that many conversations don't start at
   * once; 0.95 for budgets below 32,000 without a summarizer. If the head and last user message nearly reach it,
   * it applies to the remaining budget instead.
   */
  startAt: row<Threshold>({ is: "threshold" }),
  /**
   * Size of the view after a compaction, below `startAt`: at most 0.5 of the room. Default automatic (0.3 to 0.4 of the room). Your
   * `startAt` or `landAt` replaces a profile's value that conflicts with it.
   */
  landAt: row<Threshold>({ is: "threshold" }),
  /** How much of the newest conversation is kept verbatim. The first limit reached ends the tail. */
  tail: group({
    /** Share of the compacted view. Default 0.4, or none if you set a number. */
    share: row<number, number>({ is: "share" }, 0.4),
    /** At most this many tokens. */
    tokens: tokens(1),
    /** At most this many messages. A round is never split: it is kept whole. */
    messages: count("messages"),
    /** At most this many turns. */
    turns: count("turns"),
    /** At most this many rounds. */
    rounds: count("rounds"),
    /** A tail that is too large shrinks to no fewer messages than this; after that, its older tool results are clipped. */
    minMessages: count("messages", 4),
  }),
  /**
   * Tokens kept free for the answer. May be 0. Default: what answers really take, at first min(`maxAnswer`, window ÷ 8, 8,192). Your own
   * value is never adjusted.
   */
  reserve: row<Threshold>({ is: "threshold", none: true }),
  /** Tokens kept free for counting errors. May be 0. Default 0.02 of the window. */
  safety: row<Threshold>({ is: "threshold", none: true }),
  /**
   * Where the summary message goes: a separate user message (`user`), a second system message or block (`system`), or the end of the
   * system prompt (`merged`).
   */
  placement: choice("placement", ["user", "system", "merged"], "user"),
  /**
   * Compacts on a number of messages or turns, in addition to `startAt`. The system prompt counts as a message until the first compaction. The
   * next one waits until the last has paid for itself, or the budget is half full.
   */
  triggers: group({
    /** More messages than this. */
    messages: count("messages"),
    /** More turns than this. */
    turns: count("turns"),
  }),
  /** `false`: only `compact` and a full budget trigger a compaction. */
  auto: flag(true),
  /** How long a turn may wait for a model's summary. 0 means never. Has no effect without a summarizer. */
  waitMs: time(0, 0),
  /** Which images stay. A compaction replaces the others by a line of text; images in the tail always stay. */
  images: group({
    /** The images of the last user message, or this many of the newest. */
    keep: needed(
      row<"last-user-message" | number, "last-user-message">(
        { is: "choice or count", names: ["last-user-message"], of: "images" },
        "last-user-message",
      ),
    ),
  }),
  /** Prices of the provider's prompt cache, relative to an input token. They decide when a compaction pays. */
  cache: group({
    /** How long the provider keeps a cached prompt. */
    ttlMs: time(0, 5 * 60_000),
    /** Price of a cache read. */
    read: number("price", MOST_TIMES, 0.1),
    /** Price of a cache write. */
    write: number("price", MOST_TIMES, 1.25),
    /** Price of an output token. */
    output: number("price", MOST_TIMES, 5),
  }),
  /**
   * Adds cache breakpoints (`cache_control`) after the system prompt and the summary, in formats that have them. Your own breakpoints
   * have priority; the total never exceeds what the provider allows.
   */
  cacheBreakpoints: flag(false),
  /** How a model writes summaries. Has no effect without a summarizer. */
  summary: group({
    /**
     * Which prompt: `agent` (work), `talk`, `citations` (retrieval), `progress`, `concise`, or your own text, optionally with an id and a
     * version. Default: by the kind of conversation.
     */
    prompt: row<string | { readonly id: string; readonly version: number; readonly text: string }>({
      is: "prompt",
    }),
    /**
     * The most tokens that all model-written summaries in a view may take. Default: half of the summary message, at most 6,000. Longer
     * ones lose their least important lines; a summary that a person edited stays whole. With `tool-summaries`, it is the cap of each
     * round's summary. If you or the profile set it, it also caps each request, and the model writes no notes.
     */
    cap: tokens(LEAST_CAP, 6_000),
    /** Omitted for models that reject it. Default: the model's own. */
    temperature: number("temperature", 2),
    /** Your own sentence or two at the start of the summary message. */
    preface: row<string>({ is: "text", what: "preface", most: MOST_PREFACE }),
    /** Use only this way. Default: all, in this order. */
    mode: choice("mode", ["continuation", "full", "simple", "extractive"]),
    /**
     * `segments`: each segment is summarised once, and eight are merged into one. `rolling`: one summary, updated at each compaction.
     * Default: segments if summaries have room for 2,000 tokens or more, otherwise rolling.
     */
    merge: choice("way to merge", ["segments", "rolling"]),
    /**
     * Limit of the input tokens that summaries read, as a share of what the chat has read and will read in its next four requests. Above
     * it, code writes the summary and the report warns (`summaries-too-dear`). Manual compactions are exempt. With 0, only they use a model.
     */
    costShare: number("share", MOST_TIMES, 0.25),
    /** How long one summary may take, retries included. */
    deadlineMs: time(1, 120_000),
  }),
  /** Automatic recall of hidden messages. */
  recall: group({
    /** Quotes hidden passages that the newest user message asks for. On in most [profiles](profiles.md). */
    auto: flag(false),
    /** The most tokens quoted for one user message. Default: 5% of the budget, at most 2,000. */
    tokens: tokens(0),
  }),
  /** What a video frame costs. If omitted: 258 tokens and no separator. */
  frames: group({
    /** Tokens of one frame. */
    tokensPerFrame: needed(tokens(0)),
    /** Tokens between two frames. */
    separator: tokens(0),
  }),
} as const;

type ValueOf<R> = R extends Group<infer In> ? OptionsOf<In> : R extends Row<infer T> ? T : never;
/** What a table of options takes. */
export type OptionsOf<R> = {
  readonly [K in keyof R as R[K] extends { readonly needed: true } ? never : K]?: ValueOf<R[K]>;
} & { readonly [K in keyof R as R[K] extends { readonly needed: true } ? K : never]: ValueOf<R[K]> };

/** What holds where nobody says anything, of a group of options. */
export function defaultsOf<R extends { readonly [name: string]: Row }>({ rows }: Group<R>) {
  return Object.fromEntries(
    Object.entries(rows).flatMap(([name, one]) => ("default" in one ? [[name, one.default]] : [])),
  ) as OptionsOf<R> & Required<Pick<OptionsOf<R>, Defaulted<R>>>;
}

/** The names of a group's options that have a default. */
type Defaulted<R> = { [N in keyof R]: R[N] extends { readonly default: unknown } ? N : never }[keyof R] &
  keyof OptionsOf<R>;

/** Is it made of options? */
export const isGroup = (one: Row | Group): one is Group => "rows" in one;
