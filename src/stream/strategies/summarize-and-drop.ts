import type { StreamStrategy } from "./strategy.ts";

/** A progress summary in the system message, and nothing else. */
export const summarizeAndDrop: StreamStrategy = {
  name: "summarize-and-drop",
  asks: true,
  plan: () => ({ type: "restart", head: "summary", keepSeconds: 0, lastUserTurn: false }),
};
