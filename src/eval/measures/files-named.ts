import { filesTouched } from "../files.ts";
import { memoByObject } from "../memo.ts";
import type { AgentCase, Observation, RetentionMeasure } from "../types.ts";

const touched = memoByObject((c: AgentCase) => filesTouched(c.messages.slice(c.from, c.to)));

function named(files: readonly string[], text: string): Observation | undefined {
  if (files.length === 0) return undefined;
  return { sum: files.filter((file) => text.includes(file)).length, weight: files.length };
}

/** Of the files edited before the cut, the share that the view names (by base name). */
export const editedFiles: RetentionMeasure<AgentCase> = {
  id: "edited",
  label: "edited files",
  about: "files edited so far that the view names",
  better: "higher",
  observe: (evalCase, view) => named(touched(evalCase).edited, view.text),
};

/** Of the files that were read before the cut, the share that the view names. */
export const readFiles: RetentionMeasure<AgentCase> = {
  id: "read",
  label: "read files",
  about: "files read so far that the view names",
  better: "higher",
  observe: (evalCase, view) => named(touched(evalCase).read, view.text),
};
