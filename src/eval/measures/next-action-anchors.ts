import type { AgentCase, RetentionMeasure } from "../types.ts";

/** NAAR: of the names and paths that the next calls need, the share that occurs in the view. */
export const nextActionAnchors: RetentionMeasure<AgentCase> = {
  id: "naar",
  label: "NAAR",
  about: "names and paths of the next calls that are in the view",
  better: "higher",
  observe({ anchors }, view) {
    if (anchors.length === 0) return undefined;
    const hits = anchors.filter((anchor) => view.text.includes(anchor.text)).length;
    return { sum: hits / anchors.length, weight: 1 };
  },
};
