import { sql } from "kysely";
import type { AnswerSizes, Checkpoint, Recalled, Records, Store, Summary, Undo } from "../../core/types.ts";
import { checkName } from "../shared/check-name.ts";
import { inBatches } from "./in-batches.ts";
import { rows, type Script } from "./script.ts";
import type { SqlContext } from "./sql-context.ts";
import type { SqlEngine } from "./sql-engine.ts";

/** Hashes that one statement handles. */
const HASHES_PER_STATEMENT = 1_000;

/** The engine's store of one tenant. */
export function sqlRecords({ engine, now, readScript, write }: SqlContext, tenant: string): Store {
  checkName("records", "tenant", tenant);
  return {
    find: (hashes) => readScript("find", () => findRecords(engine, tenant, hashes)),

    save: ({ checkpoints = [], summaries = [], undos = [], answers = [], recalled = [] }) =>
      write("save", async (tx) => {
        const hashes = [...checkpoints, ...summaries, ...answers, ...recalled].map((record) => record.hash);
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
        for (const { hash, model, ...rest } of answers) {
          if (deleted.has(hash)) continue;
          const json = JSON.stringify({ hash, model, ...rest });
          await tx
            .insertInto("precis_answers")
            .values({ tenant, hash, model, saved_at, json })
            .onConflict((c) => c.columns(["tenant", "hash", "model"]).doUpdateSet({ saved_at, json }))
            .execute();
        }
        for (const { hash, checkpoint, ...rest } of recalled) {
          if (deleted.has(hash)) continue;
          const json = JSON.stringify({ hash, checkpoint, ...rest });
          await tx
            .insertInto("precis_recalled")
            .values({ tenant, hash, checkpoint, saved_at, json })
            .onConflict((c) => c.columns(["tenant", "hash", "checkpoint"]).doUpdateSet({ saved_at, json }))
            .execute();
        }
      }),
  };
}

/** Removes the summaries that end with one of these messages. */
export function forgetSummaries(
  { engine, write }: SqlContext,
  tenant: string,
  hashes: readonly string[],
): Promise<void> {
  return write("forgetSummaries", async (tx) => {
    for (const batch of inBatches(hashes, HASHES_PER_STATEMENT))
      await tx
        .deleteFrom("precis_summaries")
        .where("tenant", "=", tenant)
        .where(engine.isOneOf(sql.ref("hash"), batch))
        .execute();
  });
}

/** A tenant that has none needs no look for each hash: databases ask this once, and first. */
function hasAny(table: string): string {
  return `exists (select 1 from ${table} where tenant = ?)`;
}

/** In one statement, because every request waits for this. */
function* findRecords(engine: SqlEngine, tenant: string, hashes: readonly string[]): Script<Records> {
  if (hashes.length === 0) return { checkpoints: [], summaries: [], undos: [], recalled: [] };
  const { rowsOf } = engine;
  const wanted = rowsOf.value(hashes);
  const rowsFound = yield* rows<{
    kind: "checkpoint" | "summary" | "answers" | "recalled";
    id: string;
    json: string;
  }>(
    `select 'checkpoint' as kind, precis_checkpoints.id as id, precis_checkpoints.json as json
     from ${rowsOf.from("precis_checkpoints", "hash")} and ${hasAny("precis_checkpoints")}
     union all select 'summary' as kind, precis_summaries.key as id, precis_summaries.json as json
     from ${rowsOf.from("precis_summaries", "hash")} and ${hasAny("precis_summaries")}
     union all select 'recalled' as kind, precis_recalled.checkpoint || ' ' || precis_recalled.hash as id, precis_recalled.json as json
     from ${rowsOf.from("precis_recalled", "hash")} and ${hasAny("precis_recalled")}
     union all select 'answers' as kind, model as id, json from precis_answers where tenant = ? and hash = ?`,
    wanted,
    tenant,
    tenant,
    wanted,
    tenant,
    tenant,
    wanted,
    tenant,
    tenant,
    tenant,
    // They stand on the first message.
    hashes[0],
  );
  // A hash that was asked for twice is found twice.
  const found = [...new Map(rowsFound.map((row) => [`${row.kind} ${row.id}`, row])).values()];
  const checkpoints = found.filter(({ kind }) => kind === "checkpoint");
  const undos =
    checkpoints.length === 0
      ? []
      : yield* rows<{ json: string }>(
          `select precis_undos.json as json from ${rowsOf.from("precis_undos", "checkpoint")}`,
          rowsOf.value(checkpoints.map(({ id }) => id)),
          tenant,
        );
  const answers = found.filter(({ kind }) => kind === "answers");
  return {
    checkpoints: checkpoints.map(({ json }) => JSON.parse(json) as Checkpoint),
    summaries: found.filter(({ kind }) => kind === "summary").map(({ json }) => JSON.parse(json) as Summary),
    undos: undos.map(({ json }) => JSON.parse(json) as Undo),
    ...(answers.length > 0 && { answers: answers.map(({ json }) => JSON.parse(json) as AnswerSizes) }),
    recalled: found.filter(({ kind }) => kind === "recalled").map(({ json }) => JSON.parse(json) as Recalled),
  };
}
