import { statSync } from "node:fs";
import { type Report, reportPage } from "../../eval/report/report.ts";
import { profiles } from "../../profiles/index.ts";
import { charsCounter, exactCounter } from "../../tokens/index.ts";
import { UsageError } from "../flags.ts";
import { FileError } from "../read-lines.ts";
import { reportText } from "../report-text.ts";
import type { Run, RunOf } from "../run.ts";
import { refuseInput, writeOutput } from "../write-output.ts";

/** Where data is looked for: a folder of this name where the command runs. */
export const DEFAULT_DATA = "data";
/** In a sample: every n-th session. */
const SAMPLE_EVERY = 6;
export const everyNth = ({ sample }: { readonly sample?: true }): number => (sample ? SAMPLE_EVERY : 1);

/** How precis is measured, and how tokens are counted. */
export const measuredBy = async ({
  counter,
  profile,
}: Pick<RunOf<"eval rules">["options"], "counter" | "profile">) => ({
  counter: counter === "chars" ? charsCounter() : await exactCounter("o200k_base"),
  ...(profile && { profile: profiles[profile] }),
});

/**
 * Shows what was measured: a table for people, JSON for programs, a page for both. Called before the measuring, which takes a while, it
 * refuses a page that would overwrite what is read.
 */
export async function createShow(
  {
    options,
    note,
    print,
    look,
  }: Pick<Run, "look" | "note" | "print"> & { readonly options: { readonly html?: string } },
  inputs: () => readonly string[],
) {
  const { html } = options;
  const files = html === undefined ? [] : inputs();
  if (html !== undefined) await refuseInput("html", html, files);
  return async (result: unknown, report: Report, { ranges }: { readonly ranges: boolean }): Promise<void> => {
    if (html !== undefined) {
      await writeOutput("html", html, files, reportPage(report));
      note(`wrote ${html}`);
    }
    print(result, () => reportText(report, { ...look, ranges }));
  };
}

/** What a folder of data holds: none comes with precis. */
export const DATA_NEEDED =
  "It must hold recorded conversations of your own, as .json, .jsonl or .traj files (plain or .gz) that precis replay reads: logs of Claude Code, Codex, pi, OpenHands or SWE-agent, or lists of { role, content } messages.";

/** Says in words why a folder of data can't be read. */
export function checkDataFolder(data: string): void {
  const found = statSync(data, { throwIfNoEntry: false });
  if (found === undefined)
    throw new FileError(
      `there is no folder ${data}, and no data comes with precis. Give a folder with --data DIR. ${DATA_NEEDED}`,
    );
  if (!found.isDirectory()) throw new UsageError(`--data ${data} is a file. Give a folder.`);
}
