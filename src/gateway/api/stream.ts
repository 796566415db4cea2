import type { Played } from "../../stream/timeline.ts";
import type { StreamStrategyName } from "../../stream/types.ts";
import type { ImportFile } from "./conversation.ts";

export type { StreamStrategyName, StreamTrace } from "../../stream/types.ts";

/** Runs a recorded stream again on a cache that only counts. Nothing is stored and no model is asked. */
export interface StreamReplayInput {
  /** JSONL of frames and turns, as `precis stream` reads it. */
  readonly file: ImportFile;
  /** Which recording of a file that holds several, from 0. */
  readonly pick?: number;
  readonly strategy?: StreamStrategyName;
  /** The cache's size in tokens. */
  readonly window?: number;
  readonly tokensPerFrame?: number;
}

/** How full the cache was, and each time that it was managed. */
export interface StreamReplayAnswer extends Played {
  readonly title: string;
  /** Recordings in the file. */
  readonly recordings: number;
}
