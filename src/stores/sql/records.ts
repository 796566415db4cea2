import { sql } from "kysely";
import type { Checkpoint, Store, Summary, Undo } from "../../core/types.ts";
import { checkName } from "../shared/check-name.ts";
import type { SqlContext } from "./sql-context.ts";

/** The engine's store of one tenant. */
export function sqlRecords({ engine, now, read, write }: SqlContext, tenant: string): Store {
  checkName("records", "tenant", tenant);
  return {
    find: (hashes) =>
      read("find", async (db) => {
        if (hashes.length === 0) return { checkpoints: [], summaries: [], undos: [] };
        // At once: every request waits for this.
        const [checkpoints, summaries] = await Promise.all([
          db
            .selectFrom("precis_checkpoints")
            .select(["id", "json"])
            .where("tenant", "=", tenant)
            .where(engine.isOneOf(sql.ref("hash"), hashes))
            .execute(),
          db
            .selectFrom("precis_summaries")
            .select("json")
            .where("tenant", "=", tenant)
            .where(engine.isOneOf(sql.ref("hash"), hashes))
            .execute(),
        ]);
        const ids = checkpoints.map((row) => row.id);
        const undos =
          ids.length === 0
            ? []
            : await db
                .selectFrom("precis_undos")
                .select("json")
                .where("tenant", "=", tenant)
                .where(engine.isOneOf(sql.ref("checkpoint"), ids))
                .execute();
        return {
          checkpoints: checkpoints.map((row) => JSON.parse(row.json) as Checkpoint),
          summaries: summaries.map((row) => JSON.parse(row.json) as Summary),
          undos: undos.map((row) => JSON.parse(row.json) as Undo),
        };
      }),

    save: ({ checkpoints = [], summaries = [], undos = [] }) =>
      write("save", async (tx) => {
        const hashes = [...checkpoints, ...summaries].map((record) => record.hash);
        const deleted = new Set<string>();
        if (hashes.length > 0) {
          const rows = await tx
            .selectFrom("precis_tombstones")
            .select("hash")
            .where("tenant", "=", tenant)
            .where(engine.isOneOf(sql.ref("hash"), hashes))
            .execute();
          for (const row of rows) deleted.add(row.hash);
        }
        const saved_at = now();
        for (const { id, hash, ...rest } of checkpoints) {
          if (deleted.has(hash)) continue;
          await tx
            .insertInto("precis_checkpoints")
            .values({ tenant, id, hash, saved_at, json: JSON.stringify({ id, hash, ...rest }) })
            // Its id is the hash of its content: the same id is the same record.
            .onConflict((c) => c.columns(["tenant", "id"]).doNothing())
            .execute();
        }
        for (const { key, hash, ...rest } of summaries) {
          if (deleted.has(hash)) continue;
          const json = JSON.stringify({ key, hash, ...rest });
          await tx
            .insertInto("precis_summaries")
            .values({ tenant, key, hash, saved_at, json })
            .onConflict((c) => c.columns(["tenant", "key"]).doUpdateSet({ hash, saved_at, json }))
            .execute();
        }
        for (const undo of undos) {
          const json = JSON.stringify(undo);
          await tx
            .insertInto("precis_undos")
            .values({ tenant, checkpoint: undo.checkpoint, saved_at, json })
            .onConflict((c) => c.columns(["tenant", "checkpoint"]).doUpdateSet({ saved_at, json }))
            .execute();
        }
      }),
  };
}
