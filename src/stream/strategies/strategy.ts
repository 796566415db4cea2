import type { Run } from "../../core/types.ts";
import type { StreamStrategyName } from "../types.ts";

/** What a strategy decides by. */
export interface Situation {
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
