import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";

/** One case of CompactBench, as the recorded data has it. */
export interface CompactCase {
  readonly id: string;
  readonly family: string;
  readonly tier: string;
  readonly messages: readonly { readonly role: "user" | "assistant"; readonly content: string }[];
  readonly items: readonly { readonly needs: readonly (readonly string[])[] }[];
  /** Plans that hold in the end, and plans that were given up; only where a decision is overridden. */
  readonly newest?: readonly string[];
  readonly old?: readonly string[];
}

/** Where recorded data lies beside the project. */
export const DATA = fileURLToPath(new URL("../../../shared/data/", import.meta.url));

/** The cases, or undefined where the data isn't there. */
export function compactCases(): CompactCase[] | undefined {
  const file = `${DATA}compactbench/cases.jsonl.gz`;
  if (!existsSync(file)) return undefined;
  return gunzipSync(readFileSync(file))
    .toString()
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as CompactCase);
}

/** Is every group of strings in one line of the view? */
export function isMet(needs: readonly (readonly string[])[], view: string): boolean {
  const lines = view.toLowerCase().split("\n");
  return needs.every((group) =>
    lines.some((line) => group.every((text) => line.includes(text.toLowerCase()))),
  );
}

/** Does the view show a plan that was given up, and not the one that holds? Worse than showing neither. */
export function isStale({ newest = [], old = [] }: CompactCase, view: string): boolean {
  const text = view.toLowerCase();
  const shows = (plans: readonly string[]) => plans.some((plan) => text.includes(plan.toLowerCase()));
  return shows(old) && !shows(newest);
}
