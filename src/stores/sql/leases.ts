import { sql } from "kysely";
import type { LeaseStore } from "../server-store.ts";
import { checkName } from "../shared/check-name.ts";
import type { SqlContext } from "./sql-context.ts";

/** Each method is one statement that the database runs whole, so no two owners can both succeed. */
export function sqlLeases({ engine, now, write }: SqlContext): LeaseStore {
  const clock = () => engine.clock ?? sql<number>`${now()}`;
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
      write("leases.renew", async (tx) => {
        const rows = await tx
          .updateTable("precis_leases")
          .set({ expires_at: sql<number>`${clock()} + ${Math.round(ttlMs)}` })
          .where("tenant", "=", tenant)
          .where("name", "=", name)
          .where("owner", "=", owner)
          // An ended lease may have been promised to another node already.
          .where("expires_at", ">", clock())
          .returning("fence")
          .execute();
        return rows.length > 0;
      }),

    release: (tenant, name, owner) =>
      write("leases.release", async (tx) => {
        // The row stays until a sweep, so that the next owner's fence is higher.
        const rows = await tx
          .updateTable("precis_leases")
          .set({ expires_at: 0 })
          .where("tenant", "=", tenant)
          .where("name", "=", name)
          .where("owner", "=", owner)
          .where("expires_at", ">", clock())
          .returning("fence")
          .execute();
        return rows.length > 0;
      }),
  };
}
