import { isThere, isThereWhole } from "../evidence.ts";
import type { Observation, Probe, ProbeCase, RetentionMeasure } from "../types.ts";

/** BEAM's kinds of question whose evidence is a standing wish of the user: it must outlive everything. */
const STANDING = new Set(["instruction_following", "preference_following"]);

function overProbes(
  evalCase: ProbeCase,
  test: (text: string) => boolean,
  wanted: (probe: Probe) => boolean = () => true,
): Observation | undefined {
  const known = new Map<number, boolean>();
  const isKept = (index: number) => {
    let kept = known.get(index);
    if (kept === undefined) {
      kept = test(evalCase.messages[index]!.content);
      known.set(index, kept);
    }
    return kept;
  };
  const probes = evalCase.probes.filter((probe) => probe.evidence.length > 0 && wanted(probe));
  if (probes.length === 0) return undefined;
  const shares = probes.map((probe) => probe.evidence.filter(isKept).length / probe.evidence.length);
  return { sum: shares.reduce((a, b) => a + b, 0), weight: probes.length };
}

/** Of a question's evidence messages, the share that stands in the view letter for letter. */
export const evidenceById: RetentionMeasure<ProbeCase> = {
  id: "evidence-id",
  label: "evidence, verbatim",
  about: "messages that answer a question, letter for letter",
  better: "higher",
  observe: (evalCase, view) => overProbes(evalCase, (text) => view.text.includes(text)),
};

/** The share whose first words are still together in the view: works for summaries too. */
export const evidenceByText: RetentionMeasure<ProbeCase> = {
  id: "evidence-text",
  label: "evidence, by words",
  about: "messages that answer a question, by their first words",
  better: "higher",
  observe: (evalCase, view) => overProbes(evalCase, (text) => isThere(text, view.words())),
};

/** The same from first word to last: evidence of which only the start was kept doesn't count. */
export const evidenceWhole: RetentionMeasure<ProbeCase> = {
  id: "evidence-whole",
  label: "evidence, whole",
  about: "the same from first word to last",
  better: "higher",
  observe: (evalCase, view) => overProbes(evalCase, (text) => isThereWhole(text, view.words())),
};

/** Evidence of questions about standing instructions and preferences. */
export const standingInstructions: RetentionMeasure<ProbeCase> = {
  id: "standing",
  label: "standing instructions",
  about: "wishes that hold for the whole conversation",
  better: "higher",
  observe: (evalCase, view) =>
    overProbes(
      evalCase,
      (text) => isThere(text, view.words()),
      (probe) => STANDING.has(probe.kind),
    ),
};
