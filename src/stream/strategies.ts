import { ConfigError } from "../core/errors.ts";
import type { Run } from "../core/types.ts";
import type { StreamStrategyName } from "./types.ts";

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

export function strategyByName(name: string): StreamStrategy {
  const found = streamStrategies.find((each) => each === name);
  if (found !== undefined) return { name: found, ...STRATEGIES[found] };
  throw new ConfigError({
    option: "strategy",
    message: `there is no strategy ${JSON.stringify(name)} for streams.`,
    fix: `Use one of ${streamStrategies.join(", ")}.`,
  });
}
