import { sql } from "kysely";
import { deleteBodies } from "./delete-bodies.ts";
import { inBatches } from "./in-batches.ts";
import { forgetMessages } from "./recall/index-messages.ts";
import { rows } from "./script.ts";
import type { SqlContext } from "./sql-context.ts";
import type { Db } from "./sql-engine.ts";
import { runScriptIn } from "./writer.ts";

/** Hashes that one statement handles. */
const HASHES_PER_STATEMENT = 1_000;

/** A conversation and everything that was forked from it, directly or not. */
export async function forksOf(tx: Db, tenant: string, id: string): Promise<string[]> {
  const found = new Set([id]);
  for (const one of found) {
    const forks = await tx
      .selectFrom("precis_conversations")
      .select("id")
      .where("tenant", "=", tenant)
      .where("fork_of", "=", one)
      .execute();
    for (const fork of forks) found.add(fork.id);
  }
  return [...found];
}

/**
 * Removes a conversation everywhere: its places, events and citations with it, then the records and texts that nothing
 * else stands on. False when there is none.
 */
export async function deleteConversation(
  context: SqlContext,
  tx: Db,
  tenant: string,
  id: string,
): Promise<boolean> {
  const { engine } = context;
  // Of two at once that share a message, each would see the other's and leave its records.
  if (engine.lockName !== undefined)
    await runScriptIn(tx, engine, rows(engine.lockName, `precis/remove/${tenant}`));
  const row = await tx
    .selectFrom("precis_conversations")
    .select("head")
    .where("tenant", "=", tenant)
    .where("id", "=", id)
    .$if(engine.lockRows === true, (query) => query.forUpdate())
    .executeTakeFirst();
  if (!row) return false;
  const places = await tx
    .selectFrom("precis_messages")
    .select(["hash", "body"])
    .where("tenant", "=", tenant)
    .where("conversation", "=", id)
    .execute();

  await runScriptIn(tx, engine, forgetMessages(engine, tenant, id, 0));
  await tx.deleteFrom("precis_conversations").where("tenant", "=", tenant).where("id", "=", id).execute();
  await tx
    .updateTable("precis_conversations")
    .set({ fork_of: null, fork_length: null })
    .where("tenant", "=", tenant)
    .where("fork_of", "=", id)
    .execute();
  await deleteRecords(context, tx, tenant, [...new Set(places.map((place) => place.hash))]);
  const bodies = new Set([row.head, ...places.map((place) => place.body)]);
  await deleteBodies(
    context,
    tx,
    tenant,
    [...bodies].filter((body) => body !== null),
  );
  return true;
}

async function deleteRecords(
  { engine, now }: SqlContext,
  tx: Db,
  tenant: string,
  hashes: readonly string[],
): Promise<void> {
  for (const batch of inBatches(hashes, HASHES_PER_STATEMENT)) {
    const used = await tx
      .selectFrom("precis_messages")
      .select("hash")
      .distinct()
      .where("tenant", "=", tenant)
      .where(engine.isOneOf(sql.ref("hash"), batch))
      .execute();
    const stillUsed = new Set(used.map((one) => one.hash));
    const gone = batch.filter((hash) => !stillUsed.has(hash));
    if (gone.length === 0) continue;
    const isGone = engine.isOneOf(sql.ref("hash"), gone);
    const checkpoints = await tx
      .deleteFrom("precis_checkpoints")
      .where("tenant", "=", tenant)
      .where(isGone)
      .returning("id")
      .execute();
    if (checkpoints.length > 0) {
      await tx
        .deleteFrom("precis_undos")
        .where("tenant", "=", tenant)
        .where(
          engine.isOneOf(
            sql.ref("checkpoint"),
            checkpoints.map((one) => one.id),
          ),
        )
        .execute();
    }
    for (const table of ["precis_summaries", "precis_answers", "precis_recalled"] as const)
      await tx.deleteFrom(table).where("tenant", "=", tenant).where(isGone).execute();
    const at = now();
    await tx
      .insertInto("precis_tombstones")
      .values(gone.sort().map((hash) => ({ tenant, hash, at })))
      .onConflict((c) => c.columns(["tenant", "hash"]).doUpdateSet({ at }))
      .execute();
  }
}
