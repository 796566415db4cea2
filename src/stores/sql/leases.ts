import type { LeaseStore } from "../server-store.ts";
import { checkName } from "../shared/check-name.ts";
import { firstRow, rows } from "./script.ts";
import type { SqlContext } from "./sql-context.ts";

/** Each method is one statement that the database runs whole, so no two owners can both succeed. */
export function sqlLeases({ engine, now, write }: SqlContext): LeaseStore {
  const clock = engine.clock ?? "?";
  const time = () => (engine.clock === undefined ? [now()] : []);
  /** Gives a lease that its owner still has another end. One that has ended may have been promised to another node already. */
  const endAt = (
    operation: string,
    [tenant, name, owner]: readonly [string, string, string],
    expires: string,
    values: () => readonly number[],
  ): Promise<boolean> =>
    write(operation, function* () {
      const changed = yield* rows(
        `update precis_leases set expires_at = ${expires}
         where tenant = ? and name = ? and owner = ? and expires_at > ${clock} returning fence`,
        ...values(),
        tenant,
        name,
        owner,
        ...time(),
      );
      return changed.length > 0;
    });
  return {
    acquire: (tenant, name, owner, ttlMs) =>
      write("leases.acquire", function* () {
        checkName("leases.acquire", "tenant", tenant);
        checkName("leases.acquire", "name", name);
        checkName("leases.acquire", "owner", owner);
        const held = yield* firstRow<{ expires_at: number | string; fence: number | string }>(
          `insert into precis_leases (tenant, name, owner, expires_at, fence) values (?, ?, ?, ${clock} + ?, 1)
           on conflict (tenant, name) do update set owner = excluded.owner, expires_at = excluded.expires_at,
             fence = precis_leases.fence + case when precis_leases.owner = excluded.owner then 0 else 1 end
           where precis_leases.expires_at <= ${clock} or precis_leases.owner = excluded.owner
           returning expires_at, fence`,
          tenant,
          name,
          owner,
          ...time(),
          Math.round(ttlMs),
          ...time(),
        );
        return held && { name, owner, expiresAt: Number(held.expires_at), fence: Number(held.fence) };
      }),

    renew: (tenant, name, owner, ttlMs) =>
      endAt("leases.renew", [tenant, name, owner], `${clock} + ?`, () => [...time(), Math.round(ttlMs)]),

    // The row stays until a sweep, so that the next owner's fence is higher.
    release: (tenant, name, owner) => endAt("leases.release", [tenant, name, owner], "0", () => []),
  };
}
