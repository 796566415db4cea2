import type { Expense } from "../eval/judged/spending.ts";
import { formatDollars, formatShort } from "./format.ts";

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
