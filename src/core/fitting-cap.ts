import type { Report } from "./types.ts";

/**
 * A provider may count more than we do, by this share of the input at the most. Room for it is kept beside an answer that would fill
 * the window by our own count. No more than this share of what is left is kept: a cap that is a little lower costs nothing.
 */
const COUNT_SLACK = 0.25;

/** What a provider said about a request that it refused as too long. */
export interface Rejected {
  /** Its own count. */
  readonly tokens?: number;
  /** Its limit. */
  readonly limit?: number;
}

/**
 * The cap on an answer, lowered to what is surely left beside a view; never raised. Providers refuse input and largest answer that
 * together exceed the window, and a long answer must not cost the request.
 */
export function fittingCap(
  asked: number,
  { budget, tokens, warnings }: Pick<Report, "budget" | "tokens" | "warnings">,
  rejected?: Rejected,
): number {
  const { window } = budget;
  if (window === undefined) return asked;
  // A guess takes nothing from an answer, which would just end too early: the provider says what it takes.
  if (!rejected && warnings.some(({ code }) => code === "unknown-model")) return asked;
  // Some upstreams name the sum of input and answer: that says nothing about the input.
  const told = rejected?.tokens !== undefined && rejected.tokens < window ? rejected.tokens : 0;
  const input = Math.max(tokens.after + budget.tools, told);
  const left = Math.floor(window - input - budget.safety);
  if (left <= 0) return asked;
  // An upper bound of the input needs no slack, unless its answer would exceed it anyway.
  if (tokens.atMost && asked <= left) return asked;
  const withSlack = Math.floor(left - COUNT_SLACK * Math.min(input, left));
  // What is kept free is what answers really take: no slack is taken off that, unless the upstream does count more.
  return Math.min(asked, Math.max(1, withSlack, rejected ? 1 : Math.min(budget.reserve, left)));
}
