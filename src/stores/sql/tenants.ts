import type { Db } from "./sql-engine.ts";

/** Every tenant that anything is stored for. */
export async function tenantsOf(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom("precis_conversations")
    .select("tenant")
    .union(db.selectFrom("precis_checkpoints").select("tenant"))
    .union(db.selectFrom("precis_summaries").select("tenant"))
    .union(db.selectFrom("precis_undos").select("tenant"))
    .union(db.selectFrom("precis_events").select("tenant"))
    .union(db.selectFrom("precis_client_keys").select("tenant"))
    .execute();
  return rows.map((row) => row.tenant).sort();
}
