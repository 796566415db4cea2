import type { StreamStrategy } from "./strategy.ts";

/** A progress summary in the system message, and the last seconds of the stream. */
export const summarizeAndKeep: StreamStrategy = {
  name: "summarize-and-keep",
  asks: true,
  plan: ({ keepSeconds }) => ({ type: "restart", head: "summary", keepSeconds, lastUserTurn: false }),
};
