import { STRATEGY_NAMES } from "./strategy-names.ts";

/**
 * Every option of a conversation: its name, what it may be, its default, and a sentence. The types of the library, its checks, the
 * config's schema, the headers of a request, the settings of the page and of `precis chat`, and the tables of the reference are
 * made from this table; a new option is one line of it, and what the engine does with it.
 */

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
  /** Whole, such as messages. */
  | { readonly is: "count"; readonly of: string; readonly least: number }
  | { readonly is: "number"; readonly what: string; readonly least: number; readonly most: number }
  /** Milliseconds. */
  | { readonly is: "time"; readonly least: number }
  | { readonly is: "switch" }
  | { readonly is: "choice"; readonly what: string; readonly names: readonly string[] }
  | { readonly is: "text"; readonly what: string; readonly most: number }
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

const row = <T>(kind: Kind, standard?: T): Row<T> => ({
  ...kind,
  ...(standard !== undefined && { default: standard }),
});
const needed = <R extends Row>(one: R): R & { readonly needed: true } => ({ ...one, needed: true });
const group = <R extends { readonly [name: string]: Row }>(rows: R): Group<R> => ({ rows });
const tokens = (least: number, standard?: number) => row<number>({ is: "tokens", least }, standard);
const count = (of: string, least = 1, standard?: number) => row<number>({ is: "count", of, least }, standard);
const number = (what: string, most: number, standard?: number) =>
  row<number>({ is: "number", what, least: 0, most }, standard);
const time = (least: number, standard?: number) => row<number>({ is: "time", least }, standard);
const flag = (standard?: boolean) => row<boolean>({ is: "switch" }, standard);
const choice = <const N extends string>(what: string, names: readonly N[], standard?: NoInfer<N>) =>
  row<N>({ is: "choice", what, names }, standard);

export const TUNING = {
  /** A cap on what the view may use, in tokens. Needed when there is no window. Default: what the window leaves. */
  budget: row<number>({ is: "size" }),
  /** What may be done to make room. */
  strategy: choice("strategy", STRATEGY_NAMES, "summarize-oldest"),
  /**
   * Pressure at which a compaction starts. Default 0.8 (spread over 0.78–0.82, so that many conversations don't start at once); 0.95 for
   * budgets below 32,000 where no model is asked. One that head and last user message nearly reach by themselves is taken as a share
   * of what they leave free.
   */
  startAt: row<Threshold>({ is: "threshold" }),
  /**
   * Where a compaction lands: at most 0.5, and below `startAt`. Default 0.3 of room up to 45,000, 0.4 from 100,000 on, between them in
   * proportion; 0.3 when the cache is cold or after a pause; at most half of a given `startAt`. A landing close to the start is lowered
   * to three quarters of the way to it. What a profile says gives way to your own.
   */
  landAt: row<Threshold>({ is: "threshold" }),
  /** How much of the newest conversation stays word for word. The first limit that is reached ends the tail. */
  tail: group({
    /** Share of the landing. Default 0.4; none where a number is given. */
    share: row<number>({ is: "share" }, 0.4),
    /** At most this many tokens. */
    tokens: tokens(1),
    /** At most this many messages; a round that the count would cut is taken in whole. */
    messages: count("messages"),
    /** At most this many turns. */
    turns: count("turns"),
    /** At most this many rounds. */
    rounds: count("rounds"),
    /** A tail that is too big gets smaller, but not below this many messages; then its older tool results are clipped. */
    minMessages: count("messages", 1, 4),
  }),
  /**
   * Tokens kept free for the answer. May be 0. Default: what answers really take; at first min(`maxAnswer`, window ÷ 8, 8,192). A
   * figure of your own stays as it is, whatever answers take.
   */
  reserve: row<Threshold>({ is: "threshold", none: true }),
  /** Tokens kept free for counting errors. May be 0. Default 0.02 of the window. */
  safety: row<Threshold>({ is: "threshold", none: true }),
  /**
   * Where the summary message goes: a user message of its own (`user`), a second system message or block (`system`), or the end of the
   * system prompt (`merged`).
   */
  placement: choice("placement", ["user", "system", "merged"], "user"),
  /**
   * Compacts when there are more messages or turns than this, beside the token trigger. The system prompt counts as a message until the
   * first compaction. Another one waits until the last has paid for itself, or the budget is half full.
   */
  triggers: group({
    /** More messages than this. */
    messages: count("messages"),
    /** More turns than this. */
    turns: count("turns"),
  }),
  /** False: only `compact` and a full budget compact. */
  auto: flag(true),
  /** How long a turn may wait for a model's summary. 0: never. Has no effect without a model. */
  waitMs: time(0, 0),
  /** Which images stay before the tail, which is shown as it is; the others become a line of text once a compaction is due. */
  images: group({
    /** Those of the last user message, or so many of the newest. */
    keep: needed(
      row<"last-user-message" | number>(
        { is: "choice or count", names: ["last-user-message"], of: "images" },
        "last-user-message",
      ),
    ),
  }),
  /** What the provider's prompt cache costs, in units of the price of an input token: it decides when a compaction pays. */
  cache: group({
    /** How long the provider keeps a cached prompt. */
    ttlMs: time(0, 5 * 60_000),
    /** Price of a token that is read from the cache. */
    read: number("price", MOST_TIMES, 0.1),
    /** Price of a token that is written to it. */
    write: number("price", MOST_TIMES, 1.25),
    /** Price of an output token. */
    output: number("price", MOST_TIMES, 5),
  }),
  /**
   * Marks the ends of system prompt and summary for the provider's cache, where the format has marks (`cache_control`). The host's own
   * marks come first: together they are never more than the format allows, and a long-lived one never stands behind a short-lived one.
   */
  cacheBreakpoints: flag(false),
  /** How a model is asked for summaries. Has no effect without one. */
  summary: group({
    /**
     * Which prompt: `agent` (work), `talk`, `citations` (retrieval), `progress`, `concise`; or a text of your
     * own, as a sentence or with an id and a version that name the records made with it. Default: by the kind of conversation.
     */
    prompt: row<string | { readonly id: string; readonly version: number; readonly text: string }>({
      is: "prompt",
    }),
    /**
     * Ceiling of all summaries by a model that one view shows together, in tokens, pointers included. Default: half of the summary
     * message, at most 6,000. Longer ones lose their least important lines; words that a person put in place of a summary stay whole.
     * Under `tool-summaries` it is the ceiling of each round's summary. Where you or the profile set it, no request asks for a longer
     * answer, and no notes for the next summary are written on top of it.
     */
    cap: tokens(LEAST_CAP, 6_000),
    /** Holds in every mode. Left out where the model refuses it. Default: the model's own. */
    temperature: number("temperature", 2),
    /** A sentence or two of your own at the beginning of the summary message. At most 500 characters. */
    preface: row<string>({ is: "text", what: "preface", most: MOST_PREFACE }),
    /** Use only this way to ask. Default: all, in this order. */
    mode: choice("mode", ["continuation", "full", "simple", "extractive"]),
    /**
     * `segments`: each segment is summarised once, and eight are merged into one. `rolling`: one summary, which takes in what is new.
     * Default: segments where all records have room for 2,000 tokens or more in the summary message, otherwise rolling.
     */
    merge: choice("way to merge", ["segments", "rolling"]),
    /**
     * Input tokens that summaries may read, as a share of those that the chat itself has taken and will take in its next four requests.
     * Above it, code writes, and the report warns (`summaries-too-dear`). What a person asks for isn't held back. 0: none are asked for.
     */
    costShare: number("share", MOST_TIMES, 0.25),
    /** How long one summary may take in all, retries included. */
    deadlineMs: time(1, 120_000),
  }),
  /** What of the hidden conversation comes back by itself. */
  recall: group({
    /** Quotes what a user message asks for and the view hides. Most profiles switch it on. */
    auto: flag(false),
    /** What one user message may have quoted, in tokens. Default: 5 % of the budget, at most 2,000. */
    tokens: tokens(0),
  }),
  /** What a video frame costs: 258 tokens and no separator where nobody says anything. */
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
  ) as OptionsOf<R>;
}

/** Is it made of options? */
export const isGroup = (one: Row | Group): one is Group => "rows" in one;
