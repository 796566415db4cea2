import type { EvalCase, RetentionMeasure } from "../types.ts";
import * as agent from "./agent-measures.ts";
import * as talk from "./talk-measures.ts";

const MEASURES = {
  agent: [agent.nextActionAnchors, agent.anchorsInContext, agent.oldAnchors, agent.userMessages],
  probes: [talk.evidenceByText, talk.standingInstructions],
  citations: [talk.danglingCitations, talk.resolvedCitations],
};

/** The measures that say something about this kind of case. */
export function measuresFor(type: EvalCase["type"]): readonly RetentionMeasure[] {
  return MEASURES[type] as readonly RetentionMeasure[];
}
