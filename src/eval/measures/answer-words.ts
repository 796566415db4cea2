import { answerIsThere } from "../evidence.ts";
import type { ProbeCase, RetentionMeasure } from "../types.ts";

/** Share of the questions whose answer's words stand together in the view. Chance is 2–11 %: compare, don't quote. */
export const answerWords: RetentionMeasure<ProbeCase> = {
  id: "answer",
  label: "answer words",
  about: "answers whose words stand together in the view",
  better: "higher",
  observe({ probes }, view) {
    const asked = probes.filter((probe) => probe.evidence.length > 0);
    if (asked.length === 0) return undefined;
    return {
      sum: asked.filter((probe) => answerIsThere(probe.answer, view.words()) === true).length,
      weight: asked.length,
    };
  },
};
