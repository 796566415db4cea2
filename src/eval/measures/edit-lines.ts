import { isEdit } from "../files.ts";
import { memoByObject } from "../memo.ts";
import { plainText } from "../message-text.ts";
import { nextSteps, plainTextBefore } from "../needs.ts";
import type { AgentCase, RetentionMeasure } from "../types.ts";

/** Shorter lines (braces, `return nil`) occur everywhere. */
const SHORTEST_LINE = 16;

const PATH_FIELDS = new Set(["file_path", "path", "notebook_path"]);
const PATCH_MARK = /^[+-]/;

/** Texts among the arguments, except names of files; all of it where the tool takes free text. */
function bodies(args: string): string[] {
  try {
    return stringsIn(JSON.parse(args));
  } catch {
    return [args];
  }
}

function stringsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => (PATH_FIELDS.has(key) ? [] : stringsIn(inner)));
}

function bodyLines(args: string): string[] {
  return bodies(args)
    .flatMap((body) => body.split("\n"))
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
  about: "lines of the next edits, letter for letter",
  better: "higher",
  observe(evalCase, view) {
    const wanted = neededLines(evalCase);
    if (wanted.length === 0) return undefined;
    const text = plainText(view.text);
    return { sum: wanted.filter((line) => text.includes(line)).length / wanted.length, weight: 1 };
  },
};
