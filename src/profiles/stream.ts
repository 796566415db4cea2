import type { Profile } from "../core/types.ts";

/** An assistant that watches a stream: everything is summarised into the system prompt, nothing is kept. */
export const stream: Profile = {
  name: "stream",
  strategy: "summarize-and-drop",
  startAt: 1,
  safety: 0,
  placement: "merged",
  summary: { prompt: "progress", cap: 512, temperature: 0, merge: "rolling" },
};
