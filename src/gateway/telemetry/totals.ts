import type { Report } from "../../core/types.ts";
import type { Totals } from "../api.ts";

/** What each process of a server knows only for itself. */
export type Counted = "metrics" | "totals";

type Count = Exclude<keyof Totals, "since" | "conversations" | "messages" | "storeBytes" | "tokensSaved">;

/** What this process did since it was started. */
export interface TotalsKeeper {
  add(count: Count, by?: number): void;
  read(): Pick<Totals, Count | "since" | "tokensSaved">;
}

export function createTotals(now: number): TotalsKeeper {
  const counts: Record<Count, number> = {
    requests: 0,
    errors: 0,
    compactions: 0,
    tokensBefore: 0,
    tokensAfter: 0,
    cost: 0,
    unpriced: 0,
    rejected: 0,
    loops: 0,
  };
  return {
    add(count, by = 1) {
      counts[count] += by;
    },
    read: () => ({ ...counts, since: now, tokensSaved: counts.tokensBefore - counts.tokensAfter }),
  };
}

/** Counts what summaries cost. Calls at prices that nobody knows are counted apart: they aren't free. */
export function addSpent(
  totals: Pick<TotalsKeeper, "add">,
  { cost, modelCalls }: Pick<Report, "cost" | "modelCalls">,
): void {
  totals.add("cost", cost);
  // A call that failed brought no usage, and nobody knows whether it was charged for.
  totals.add("unpriced", modelCalls.filter((call) => call.usage !== undefined && call.cost === 0).length);
}

/** What several processes did together. */
export function addTotals(
  all: readonly ReturnType<TotalsKeeper["read"]>[],
): ReturnType<TotalsKeeper["read"]> {
  return all.reduce((sum, one) => {
    const added = Object.entries(one).map(([name, value]) => [name, value + sum[name as keyof typeof sum]]);
    return { ...(Object.fromEntries(added) as typeof one), since: Math.min(sum.since, one.since) };
  });
}
