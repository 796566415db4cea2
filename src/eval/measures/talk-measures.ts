import { isThere } from "../evidence.ts";
import type { CitationCase, Observation, Probe, ProbeCase, RetentionMeasure, ScoredView } from "../types.ts";
import { countThere, higher } from "./measure.ts";

/** BEAM's kinds of question whose evidence is a standing wish of the user: it must outlive everything. */
const STANDING = new Set(["instruction_following", "preference_following"]);
const CITATION = /\[(\d+)\]/g;

/** Of a question's evidence messages, the share whose first words are still together in the view. */
export const evidenceByText = higher<ProbeCase>(
  "evidence-text",
  "evidence, by words",
  "messages that answer a question, by their first words",
  (evalCase, view) => evidenceThere(evalCase, (text) => isThere(text, view.words())),
);

/** Evidence of questions about standing instructions and preferences. */
export const standingInstructions = higher<ProbeCase>(
  "standing",
  "standing instructions",
  "wishes that hold for the whole conversation",
  ({ probes, messages }, view) =>
    evidenceThere({ messages, probes: probes.filter(({ kind }) => STANDING.has(kind)) }, (text) =>
      isThere(text, view.words()),
    ),
);

/** Of the citations [n] in the view, the share whose document the view no longer names. The aim is none. */
export const danglingCitations: RetentionMeasure<CitationCase> = {
  id: "dangling",
  label: "dangling citations",
  about: "citations in the view whose document it doesn't name",
  better: "lower",
  observe: ({ documents }, view) =>
    countThere(shown(documents, view), (n) => !view.text.includes(documents.get(n)!)),
};

/** Of the numbers that the answers cite, the share that the view shows with its document: nothing kept isn't a success. */
export const resolvedCitations = higher<CitationCase>(
  "resolved",
  "citations resolved",
  "citations of the conversation that the view shows with their document",
  ({ documents, cited }, view) => {
    const numbers = new Set(shown(documents, view));
    return countThere(cited, (n) => numbers.has(n) && view.text.includes(documents.get(n)!));
  },
);

const hasEvidence = ({ evidence }: Probe): boolean => evidence.length > 0;

function evidenceThere(
  { probes, messages }: Pick<ProbeCase, "probes" | "messages">,
  test: (text: string) => boolean,
): Observation | undefined {
  const asked = probes.filter(hasEvidence);
  if (asked.length === 0) return undefined;
  // Many questions have the same evidence, and words of a long message take long to look for.
  const wanted = new Set(asked.flatMap(({ evidence }) => evidence));
  const kept = new Set([...wanted].filter((index) => test(messages[index]!.content)));
  const shares = asked.map(({ evidence }) => evidence.filter((at) => kept.has(at)).length / evidence.length);
  return { sum: shares.reduce((a, b) => a + b, 0), weight: asked.length };
}

/** Numbers of documents that the view cites. */
function shown(documents: CitationCase["documents"], view: ScoredView): number[] {
  const numbers = new Set([...view.text.matchAll(CITATION)].map((match) => Number(match[1])));
  return [...numbers].filter((n) => documents.has(n));
}
