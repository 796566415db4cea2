import type { StreamStrategyName, StreamTrace } from "./types.ts";

/** What a person reads for the names in a stream's timeline: page, command line and HTML reports take the words from here. */
export const STREAM_WORDS: {
  readonly strategies: Readonly<Record<StreamStrategyName, string>>;
  readonly reasons: Readonly<Record<StreamTrace["reason"], string>>;
  readonly actions: Readonly<Record<StreamTrace["action"], string>>;
} = {
  strategies: {
    "drop-all": "Keep only the last words",
    "drop-middle": "Keep start and end",
    "summarize-and-drop": "Summarise everything",
    "summarize-and-keep": "Summarise, keep the last seconds",
    state: "Keep a list of steps",
  },
  reasons: {
    full: "the cache was full",
    "next-input": "the next input wouldn't have fitted",
    asked: "it was asked for",
  },
  actions: {
    "old-frames": "Old pictures left",
    keep: "Parts were kept",
    restart: "Begun anew",
    nothing: "Nothing to do",
  },
};
