import { TUNING } from "../../core/options.ts";
import type { Survival } from "./survival.ts";

/** One way through a conversation, by what it keeps and what it costs. */
export interface Trade {
  /** Share of what matters that is still there at the end (0–1). */
  readonly keeps: number;
  /** Dollars, or tokens where prices aren't known: only the order counts. */
  readonly costs: number;
  /** Every request could be made to fit. */
  readonly isPossible: boolean;
  readonly strategy: string | undefined;
}

/** Those that keep nearly as much as the best one are judged by what they cost. */
const NEARLY = 0.05;
/** The default wins over one that is cheaper by less: a difference of a few percent is chance. */
const TIE = 0.05;
const DEFAULT = TUNING.strategy.default;

/**
 * The best trade: of those that keep nearly as much as any, the one that costs least, and the default where it costs hardly more. Undefined where there is no choice: in a
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
  const good = possible.filter(({ keeps }) => keeps >= most - NEARLY);
  const cheapest = good.reduce((best, trade) => (trade.costs < best.costs ? trade : best));
  const isTied = ({ strategy, costs }: T): boolean =>
    (strategy ?? DEFAULT) === DEFAULT && costs <= cheapest.costs * (1 + TIE);
  return good.find(isTied) ?? cheapest;
}

/** Share of what matters that survives; all of it where nothing does matter. */
export function survivingShare(survival: Survival | undefined): number {
  return survival === undefined || survival.items === 0 ? 1 : survival.kept / survival.items;
}
