import type { Profile } from "../core/types.ts";

/** Turns that a retrieval assistant keeps word for word. */
const TURNS = 5;

/**
 * A retrieval assistant with citations: compacts after 2N + 1 messages and keeps the last N turns. With
 * `strategy: "truncate-oldest"` summaries are switched off and only the last N turns stay.
 */
export const rag: Profile = {
  name: "rag",
  strategy: "summarize-oldest",
  triggers: { messages: 2 * TURNS + 1 },
  // The count of messages triggers, long before the budget is full: landing low would hide what there is room for.
  landAt: 0.5,
  tail: { turns: TURNS, share: 0.7 },
  placement: "system",
  summary: { prompt: "citations", cap: 800, temperature: 0.3, merge: "rolling" },
};
