import type { Report } from "./types.ts";

/** Below this pressure no provider's count can differ so much that the view doesn't fit. */
const COUNT_FROM = 0.6;

/** Does a view come so near the budget that the provider itself should count it, where it can? */
export function isWorthCounting({ tokens, pressure }: Pick<Report, "tokens" | "pressure">): boolean {
  return !tokens.atMost && pressure.after >= COUNT_FROM;
}

/** Is a view too large by the provider's own count, tools included? */
export function isTooLarge(counted: number, { budget }: Pick<Report, "budget">): boolean {
  return counted > budget.budget + budget.tools;
}
