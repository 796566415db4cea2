import type { Report } from "../../core/types.ts";
import type { Totals } from "../api.ts";

/** What each process of a server knows only for itself. */
export type Counted = "metrics" | "totals";

type Count = Exclude<keyof Totals, "since" | "conversations" | "messages" | "storeBytes" | "tokensSaved">;

/** What was done for one tenant. */
export type TenantTotals = Pick<Totals, Count | "since" | "tokensSaved">;

/** What this process did since it was started, for each tenant: nobody sees what others do. */
export interface TotalsKeeper {
  add(tenant: string, count: Count, by?: number): void;
  read(tenant: string): TenantTotals;
  /** Those of all tenants, by their names. */
  all(): Readonly<Record<string, TenantTotals>>;
}

const NOTHING: Readonly<Record<Count, number>> = {
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

export function createTotals(now: number): TotalsKeeper {
  const tenants = new Map<string, Record<Count, number>>();
  const read = (tenant: string): TenantTotals => {
    const counts = tenants.get(tenant) ?? NOTHING;
    return { ...counts, since: now, tokensSaved: counts.tokensBefore - counts.tokensAfter };
  };
  return {
    add(tenant, count, by = 1) {
      let counts = tenants.get(tenant);
      if (!counts) {
        counts = { ...NOTHING };
        tenants.set(tenant, counts);
      }
      counts[count] += by;
    },
    read,
    all: () => Object.fromEntries([...tenants.keys()].map((tenant) => [tenant, read(tenant)])),
  };
}

/** Counts what summaries cost. Calls at prices that nobody knows are counted apart: they aren't free. */
export function addSpent(
  totals: Pick<TotalsKeeper, "add">,
  tenant: string,
  { cost, modelCalls }: Pick<Report, "cost" | "modelCalls">,
): void {
  totals.add(tenant, "cost", cost);
  // A call that failed brought no usage, and nobody knows whether it was charged for.
  const unpriced = modelCalls.filter((call) => call.usage !== undefined && call.cost === 0).length;
  totals.add(tenant, "unpriced", unpriced);
}

/** What several processes did together. */
export function addTotals(all: readonly TenantTotals[]): TenantTotals {
  return all.reduce((sum, one) => {
    const added = Object.entries(one).map(([name, value]) => [name, value + sum[name as keyof typeof sum]]);
    return { ...(Object.fromEntries(added) as typeof one), since: Math.min(sum.since, one.since) };
  });
}
