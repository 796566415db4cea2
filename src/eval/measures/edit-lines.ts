import { isEdit } from "../files.ts";
import { memoByObject } from "../memo.ts";
import { nextSteps, plainText, plainTextBefore } from "../needs.ts";
import type { AgentCase, RetentionMeasure } from "../types.ts";

/** Shorter lines (braces, `return nil`) occur everywhere. */
const SHORTEST_LINE = 16;

const PATCH_MARK = /^[+-]/;

function bodyLines(args: string): string[] {
  return plainText(args)
    .split("\n")
    .map((line) => line.replace(PATCH_MARK, "").trim())
    .filter((line) => line.length >= SHORTEST_LINE);
}

const neededLines = memoByObject((c: AgentCase): readonly string[] => {
  const before = plainTextBefore(c);
  const needed = new Set<string>();
  let seenAgain = "";
  for (const step of nextSteps(c)) {
    if (step.type === "seen") {
      seenAgain += `\n${plainText(step.text)}`;
    } else if (isEdit(step.name)) {
      for (const line of bodyLines(step.args)) {
        if (before.includes(line) && !seenAgain.includes(line)) needed.add(line);
      }
    }
  }
  return [...needed];
});

/** Of the exact lines in the next edits that existed before the cut, the share that is in the view letter for letter. */
export const editLines: RetentionMeasure<AgentCase> = {
  id: "lines",
  label: "exact edit lines",
  better: "higher",
  observe(evalCase, view) {
    const wanted = neededLines(evalCase);
    if (wanted.length === 0) return undefined;
    const text = plainText(view.text);
    return { sum: wanted.filter((line) => text.includes(line)).length / wanted.length, weight: 1 };
  },
};
