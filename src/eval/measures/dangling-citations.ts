import type { CitationCase, RetentionMeasure, ScoredView } from "../types.ts";

const CITATION = /\[(\d+)\]/g;

function shown(evalCase: CitationCase, view: ScoredView): number[] {
  const numbers = new Set([...view.text.matchAll(CITATION)].map((match) => Number(match[1])));
  return [...numbers].filter((n) => evalCase.documents.has(n));
}

/** Of the citations [n] in the view, the share whose document the view no longer names. The aim is none. */
export const danglingCitations: RetentionMeasure<CitationCase> = {
  id: "dangling",
  label: "dangling citations",
  about: "citations in the view whose document it doesn't name",
  better: "lower",
  observe(evalCase, view) {
    const numbers = shown(evalCase, view);
    if (numbers.length === 0) return undefined;
    const dangling = numbers.filter((n) => !view.text.includes(evalCase.documents.get(n)!));
    return { sum: dangling.length, weight: numbers.length };
  },
};

/** Of the numbers that the answers cite, the share that the view shows with its document: nothing kept isn't a success. */
export const resolvedCitations: RetentionMeasure<CitationCase> = {
  id: "resolved",
  label: "citations resolved",
  about: "citations of the conversation that the view shows with their document",
  better: "higher",
  observe(evalCase, view) {
    if (evalCase.cited.length === 0) return undefined;
    const numbers = new Set(shown(evalCase, view));
    const resolved = evalCase.cited.filter(
      (n) => numbers.has(n) && view.text.includes(evalCase.documents.get(n)!),
    );
    return { sum: resolved.length, weight: evalCase.cited.length };
  },
};
