import type { Selectable } from "kysely";
import type { ClientKey, ClientKeyStore } from "../server-store.ts";
import { checkName } from "../shared/check-name.ts";
import { cleanTitle } from "../shared/clean-text.ts";
import { hashClientKey, LAST_USED_ACCURACY_MS, newClientKey } from "../shared/client-key.ts";
import type { ClientKeyTable } from "./schema.ts";
import type { SqlContext } from "./sql-context.ts";

export function sqlClientKeys({ now, newId, read, write }: SqlContext): ClientKeyStore {
  return {
    async create(tenant, { name, limits = {}, expiresAt }) {
      checkName("clientKeys.create", "tenant", tenant);
      const key = newClientKey();
      const row: Selectable<ClientKeyTable> = {
        tenant,
        id: newId(),
        hash: await hashClientKey(key),
        name: cleanTitle(name),
        limits: JSON.stringify(limits),
        created_at: now(),
        expires_at: expiresAt === undefined ? null : Math.round(expiresAt),
        revoked_at: null,
        last_used_at: null,
      };
      await write("clientKeys.create", (tx) => tx.insertInto("precis_client_keys").values(row).execute());
      return { key, clientKey: clientKeyOf(row) };
    },

    async verify(key) {
      const hash = await hashClientKey(key);
      const row = await read("clientKeys.verify", (db) =>
        db.selectFrom("precis_client_keys").selectAll().where("hash", "=", hash).executeTakeFirst(),
      );
      const found = row && clientKeyOf(row);
      const at = now();
      if (!found || found.revokedAt !== undefined || (found.expiresAt ?? Number.POSITIVE_INFINITY) <= at)
        return undefined;
      if (at - (found.lastUsedAt ?? 0) < LAST_USED_ACCURACY_MS) return found;
      await write("clientKeys.verify", (tx) =>
        tx.updateTable("precis_client_keys").set({ last_used_at: at }).where("hash", "=", hash).execute(),
      );
      return { ...found, lastUsedAt: at };
    },

    list: (tenant) =>
      read("clientKeys.list", async (db) => {
        const rows = await db
          .selectFrom("precis_client_keys")
          .selectAll()
          .where("tenant", "=", tenant)
          .orderBy("created_at")
          .orderBy("id")
          .execute();
        return rows.map(clientKeyOf);
      }),

    revoke: (tenant, id) =>
      write("clientKeys.revoke", async (tx) => {
        const rows = await tx
          .updateTable("precis_client_keys")
          .set((e) => ({ revoked_at: e.fn.coalesce("revoked_at", e.val(now())) }))
          .where("tenant", "=", tenant)
          .where("id", "=", id)
          .returning("id")
          .execute();
        return rows.length > 0;
      }),
  };
}

/** A row as the outside sees it. */
export function clientKeyOf(row: Selectable<ClientKeyTable>): ClientKey {
  const time = (value: number | null) => (value === null ? undefined : Number(value));
  return {
    id: row.id,
    tenant: row.tenant,
    name: row.name,
    limits: JSON.parse(row.limits) as Record<string, number>,
    createdAt: Number(row.created_at),
    expiresAt: time(row.expires_at),
    revokedAt: time(row.revoked_at),
    lastUsedAt: time(row.last_used_at),
  };
}
