import type { Survival } from "./survival.ts";

/** One way through a conversation, by what it keeps and what it costs. */
export interface Trade {
  /** Share of what matters that is still there at the end (0–1). */
  readonly keeps: number;
  /** Dollars, or tokens where prices aren't known: only the order counts. */
  readonly costs: number;
  /** Every request could be made to fit. */
  readonly isPossible: boolean;
}

/** Those that keep nearly as much as the best one are judged by what they cost. */
const NEARLY = 0.05;

/**
 * The best trade: of those that keep nearly as much as any, the one that costs least. Undefined where there is no choice: in a
 * conversation that fits as it is, all come to the same.
 */
export function bestTrade<T extends Trade>(trades: readonly T[]): T | undefined {
  const possible = trades.filter(({ isPossible }) => isPossible);
  const [first] = trades;
  const isChoice = trades.some(
    ({ keeps, costs, isPossible }) =>
      keeps !== first!.keeps || costs !== first!.costs || isPossible !== first!.isPossible,
  );
  if (!isChoice || possible.length === 0) return undefined;
  const most = Math.max(...possible.map(({ keeps }) => keeps));
  return possible
    .filter(({ keeps }) => keeps >= most - NEARLY)
    .reduce((best, trade) => (trade.costs < best.costs ? trade : best));
}

/** Share of what matters that survives; all of it where nothing does matter. */
export function survivingShare(survival: Survival | undefined): number {
  return survival === undefined || survival.items === 0 ? 1 : survival.kept / survival.items;
}
