import type { Append, Appended, ServerStore } from "../../stores/server-store.ts";

/** What every group of cases works with. */
export interface ContractContext {
  readonly store: ServerStore;
  /** The store's clock, in milliseconds; a case may move it. */
  now: number;
  /** The store goes by that clock for leases, too. */
  readonly ownClock: boolean;
  /** Opens another empty store. */
  open(): Promise<ServerStore>;
  /** Two tenants that no other case has, because opening a database for each would take long. */
  tenants(): readonly [string, string];
  add(tenant: string, input: Partial<Append> & Pick<Append, "messages">): Promise<Appended>;
}
