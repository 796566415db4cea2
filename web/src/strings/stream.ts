import { STREAM_WORDS } from "../../../src/gateway/api.ts";
import { count, duration, percent } from "../state/format.ts";
import { plural } from "./plural.ts";

export const stream = {
  title: "Stream",
  lead: "A stream of frames and speech on a model whose cache is its memory: how full the cache was, and what was done each time that it was full.",
  empty: "Drop a recording here (JSONL of frames and turns), or what precis stream --json printed.",
  example: "Open the example: a bicycle repair",
  running: "Replaying…",
  facts: (seconds: string, frames: number, turns: number) =>
    `${seconds}, ${plural(frames, "frame")}, ${plural(turns, "turn")}`,
  strategy: "Strategy",
  strategies: STREAM_WORDS.strategies,
  window: "Cache",
  tokensPerFrame: "Tokens per frame",
  recording: "Recording",
  chart: "Tokens in the cache over time",
  tokens: "In the cache",
  limit: "Managed at (window − reserve)",
  fullWindow: "Window",
  managed: "Managed",
  managedTimes: (n: number) => (n === 0 ? "The cache was never full." : `Managed ${plural(n, "time")}`),
  step: (n: number, at: string) => `${n}. At ${at}`,
  frame: (n: number) => `frame ${count(n)}`,
  change: (before: number, after: number) => `${count(before)} → ${count(after)} tokens`,
  left: (before: number, after: number) => `${percent(1 - after / Math.max(1, before))} left the cache`,
  took: (ms: number) => duration(ms),
  reasons: STREAM_WORDS.reasons,
  actions: STREAM_WORDS.actions,
  rungResult: { used: "used", failed: "failed", rejected: "not accepted" },
  summary: "What it goes on with",
  noSummary: "Nothing was written down: what left the cache is gone.",
  question: "What the model was asked",
  said: "What was said",
  notKept: (name: string) => `${name} is too large to be kept while the page is loaded anew.`,
  notKeptFix: "Open the file again.",
  finished: "Made by precis stream --json: to try other options, open the recording itself.",
} as const;
