import { createInterface } from "node:readline/promises";
import type { Expense } from "../eval/judged/spending.ts";
import { UsageError } from "./flags.ts";
import { formatDollars, formatShort } from "./format.ts";
import type { Run } from "./run.ts";

/** Asks before money is spent. Where nobody can be asked, `--yes` is needed. */
export async function confirmSpending(
  { io, options }: Pick<Run, "io"> & { readonly options: { readonly yes?: true } },
  lines: readonly string[],
): Promise<void> {
  io.stderr.write(`This asks:\n${lines.join("\n")}\n`);
  if (options.yes) return;
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

/** What is asked of each model, one line each, and all of it in dollars where every price is known. */
export function spendLines(expenses: readonly Expense[]): string[] {
  const lines = expenses.map(({ role, model, requests, input, output, dollars }) => {
    const tokens = `${formatShort(input)} tokens in, ${formatShort(output)} out`;
    const money = dollars === undefined ? "" : `, ${formatDollars(dollars)}`;
    return `  ${role.padEnd(10)} ${model}: ${requests} ${requests === 1 ? "request" : "requests"}, ${tokens}${money}`;
  });
  const known = expenses.flatMap(({ dollars }) => (dollars === undefined ? [] : [dollars]));
  const total = known.reduce((sum, dollars) => sum + dollars, 0);
  if (known.length === 0)
    return [...lines, "  what it costs isn't known: the registry has no prices of these models"];
  const rest = known.length < expenses.length ? ", without the models whose prices aren't known" : "";
  return [...lines, `  together about ${formatDollars(total)}${rest}`];
}
