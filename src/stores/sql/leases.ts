import { type RawBuilder, sql } from "kysely";
import type { LeaseStore } from "../server-store.ts";
import { checkName } from "../shared/check-name.ts";
import type { SqlContext } from "./sql-context.ts";

/** Each method is one statement that the database runs whole, so no two owners can both succeed. */
export function sqlLeases({ engine, now, write }: SqlContext): LeaseStore {
  const clock = () => engine.clock ?? sql<number>`${now()}`;
  /** Gives a lease that its owner still has another end. One that has ended may have been promised to another node already. */
  const endAt = (
    operation: string,
    [tenant, name, owner]: readonly [string, string, string],
    expires: () => RawBuilder<number>,
  ): Promise<boolean> =>
    write(operation, async (tx) => {
      const rows = await tx
        .updateTable("precis_leases")
        .set({ expires_at: expires() })
        .where("tenant", "=", tenant)
        .where("name", "=", name)
        .where("owner", "=", owner)
        .where("expires_at", ">", clock())
        .returning("fence")
        .execute();
      return rows.length > 0;
    });
  return {
    acquire: (tenant, name, owner, ttlMs) =>
      write("leases.acquire", async (tx) => {
        checkName("leases.acquire", "tenant", tenant);
        checkName("leases.acquire", "name", name);
        checkName("leases.acquire", "owner", owner);
        const expires = sql<number>`${clock()} + ${Math.round(ttlMs)}`;
        const row = await tx
          .insertInto("precis_leases")
          .values({ tenant, name, owner, expires_at: expires, fence: 1 })
          .onConflict((c) =>
            c
              .columns(["tenant", "name"])
              .doUpdateSet((e) => ({
                owner,
                expires_at: expires,
                fence: e(
                  "precis_leases.fence",
                  "+",
                  sql<number>`case when precis_leases.owner = ${owner} then 0 else 1 end`,
                ),
              }))
              .where(({ eb, or }) =>
                or([eb("precis_leases.expires_at", "<=", clock()), eb("precis_leases.owner", "=", owner)]),
              ),
          )
          .returning(["expires_at", "fence"])
          .executeTakeFirst();
        return row && { name, owner, expiresAt: Number(row.expires_at), fence: Number(row.fence) };
      }),

    renew: (tenant, name, owner, ttlMs) =>
      endAt("leases.renew", [tenant, name, owner], () => sql<number>`${clock()} + ${Math.round(ttlMs)}`),

    // The row stays until a sweep, so that the next owner's fence is higher.
    release: (tenant, name, owner) => endAt("leases.release", [tenant, name, owner], () => sql<number>`0`),
  };
}
