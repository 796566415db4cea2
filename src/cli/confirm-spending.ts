import { createInterface } from "node:readline/promises";
import type { Io } from "./io.ts";
import type { ParsedFlags } from "./parse-flags.ts";
import { UsageError } from "./usage-error.ts";

/** Asks before money is spent. Where nobody can be asked, `--yes` is needed. */
export async function confirmSpending(flags: ParsedFlags, io: Io, lines: readonly string[]): Promise<void> {
  io.stderr.write(`This asks:\n${lines.join("\n")}\n`);
  if (flags.has("yes")) return;
  const stdin = io.stdin as typeof io.stdin & { readonly isTTY?: boolean };
  if (stdin.isTTY !== true || io.stderr.isTTY !== true)
    throw new UsageError("Nothing was asked yet. Add --yes to go on.");
  const questions = createInterface({ input: io.stdin, output: process.stderr, terminal: true });
  try {
    const answer = await questions.question("Go on? [y/N] ", { signal: io.signal });
    if (!/^y(?:es)?$/i.test(answer.trim())) throw new UsageError("Nothing was asked.");
  } finally {
    questions.close();
  }
}
