import type { AgentCase, CitationCase, EvalCase, ProbeCase, RetentionMeasure } from "../types.ts";
import { anchorsInContext } from "./anchors-in-context.ts";
import { answerWords } from "./answer-words.ts";
import { danglingCitations, resolvedCitations } from "./dangling-citations.ts";
import { editLines } from "./edit-lines.ts";
import { evidenceById, evidenceByText, evidenceWhole, standingInstructions } from "./evidence.ts";
import { editedFiles, readFiles } from "./files-named.ts";
import { nextActionAnchors } from "./next-action-anchors.ts";
import { nextCallTerms, nextCallWords } from "./next-call-terms.ts";
import { oldAnchors } from "./old-anchors.ts";
import { userMessages, userMessagesWhole } from "./user-messages.ts";

const agentMeasures: readonly RetentionMeasure<AgentCase>[] = [
  nextActionAnchors,
  anchorsInContext,
  oldAnchors,
  nextCallTerms,
  nextCallWords,
  editLines,
  userMessages,
  userMessagesWhole,
  editedFiles,
  readFiles,
];

const probeMeasures: readonly RetentionMeasure<ProbeCase>[] = [
  evidenceById,
  evidenceByText,
  evidenceWhole,
  standingInstructions,
  answerWords,
];

const citationMeasures: readonly RetentionMeasure<CitationCase>[] = [danglingCitations, resolvedCitations];

/** The measures that say something about this kind of case. */
export function measuresFor(type: EvalCase["type"]): readonly RetentionMeasure[] {
  switch (type) {
    case "agent":
      return agentMeasures as readonly RetentionMeasure[];
    case "probes":
      return probeMeasures as readonly RetentionMeasure[];
    case "citations":
      return citationMeasures as readonly RetentionMeasure[];
    default: {
      const never: never = type;
      return never;
    }
  }
}
