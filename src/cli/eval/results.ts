import { type Report, reportPage } from "../../eval/report/report.ts";
import { reportText } from "../../eval/report/text.ts";
import { PROFILE_NAMES, profiles } from "../../profiles/index.ts";
import { charsCounter, exactCounter } from "../../tokens/index.ts";
import type { Io } from "../io.ts";
import { oneOf, type ParsedFlags } from "../parse-flags.ts";
import { refuseInput, writeOutput } from "../write-output.ts";

/** In a sample: every n-th session. */
export const SAMPLE_EVERY = 6;
export const everyNth = (flags: ParsedFlags): number => (flags.has("sample") ? SAMPLE_EVERY : 1);

/** How precis is measured, and how tokens are counted. */
export async function measuredBy(flags: ParsedFlags) {
  const counter = oneOf("counter", flags.value("counter"), ["o200k", "chars"]) ?? "o200k";
  const profile = oneOf("profile", flags.value("profile"), PROFILE_NAMES);
  return {
    counter: counter === "chars" ? charsCounter() : await exactCounter("o200k_base"),
    ...(profile && { profile: profiles[profile] }),
  };
}

/**
 * Shows what was measured: a table for people, JSON for programs, a page for both. Called before the measuring, which takes a while, it
 * refuses a page that would overwrite what is read.
 */
export async function createShow(flags: ParsedFlags, io: Io, inputs: () => readonly string[]) {
  const html = flags.value("html");
  const files = html === undefined ? [] : inputs();
  if (html !== undefined) await refuseInput("html", html, files);
  return async (result: unknown, report: Report, { ranges }: { readonly ranges: boolean }): Promise<void> => {
    if (html !== undefined) {
      await writeOutput("html", html, files, reportPage(report));
      io.stderr.write(`precis: wrote ${html}\n`);
    }
    const text = flags.has("json") ? JSON.stringify(result, null, 2) : reportText(report, { ranges });
    io.stdout.write(`${text}\n`);
  };
}
