import { neededTerms } from "../needs.ts";
import { isPlainWord } from "../terms.ts";
import type { AgentCase, Observation, RetentionMeasure, ScoredView } from "../types.ts";

function recall(wanted: readonly string[], view: ScoredView): Observation | undefined {
  if (wanted.length === 0) return undefined;
  const there = view.terms();
  return { sum: wanted.filter((term) => there.has(term)).length / wanted.length, weight: 1 };
}

/** Of all terms of the next calls, whatever their shape, the share that occurs in the view. */
export const nextCallTerms: RetentionMeasure<AgentCase> = {
  id: "terms",
  label: "all terms",
  about: "all terms of the next calls, whatever their shape",
  better: "higher",
  observe: (evalCase, view) => recall([...neededTerms(evalCase)], view),
};

/** The same for plain lower-case words: what no method that looks for paths and identifiers is made for. */
export const nextCallWords: RetentionMeasure<AgentCase> = {
  id: "plain",
  label: "plain words",
  about: "plain lower-case words of the next calls",
  better: "higher",
  observe: (evalCase, view) => recall([...neededTerms(evalCase)].filter(isPlainWord), view),
};
