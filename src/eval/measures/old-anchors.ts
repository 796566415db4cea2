import type { AgentCase, RetentionMeasure } from "../types.ts";

/** Old NAAR: the same for names that don't occur in the newest quarter. Counted over all names, as cases have few. */
export const oldAnchors: RetentionMeasure<AgentCase> = {
  id: "naar-old",
  label: "NAAR old",
  about: "the same for names that the newest quarter doesn't have",
  better: "higher",
  observe({ anchors }, view) {
    const old = anchors.filter((anchor) => anchor.old);
    if (old.length === 0) return undefined;
    return { sum: old.filter((anchor) => view.text.includes(anchor.text)).length, weight: old.length };
  },
};
