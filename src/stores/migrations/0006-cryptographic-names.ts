import { sql } from "kysely";
import type { Checkpoint, Summary, Undo } from "../../core/types.ts";
import { createNewNames } from "../shared/new-names.ts";
import { newCheckpoint, newSummary } from "../shared/new-records.ts";
import { inBatches } from "../sql/in-batches.ts";
import { readMessages } from "../sql/read-messages.ts";
import { rows, type Script } from "../sql/script.ts";
import type { Db, SqlEngine } from "../sql/sql-engine.ts";
import { runScriptIn } from "../sql/writer.ts";
import type { Migration, MigrationBatch } from "./index.ts";

/** Conversations and messages that one transaction takes; a longer conversation is alone in its own. */
const CONVERSATIONS_PER_BATCH = 100;
const MESSAGES_PER_BATCH = 2_000;
/** Messages that are held in memory at a time. */
const MESSAGES_PER_PAGE = 100;
/** Rows that one statement takes. */
const ROWS_PER_STATEMENT = 32;

/** How far it is; conversations are taken in the order of tenant and id. */
interface Cursor {
  readonly tenant: string;
  readonly id: string;
  readonly done: number;
  readonly total: number;
}

/**
 * Messages, checkpoints and summaries get names that can't be forged (decision 0020). They are made from the stored
 * transcripts, and records move with the messages that they stand on. Records of transcripts that aren't stored here stay
 * as they are.
 */
export const cryptographicNames: Migration = {
  name: "0006-cryptographic-names",
  async up() {
    // All of it is work on rows.
  },
  async batch(tx, engine, cursor) {
    const from = cursor === undefined ? await begin(tx, engine) : (JSON.parse(cursor) as Cursor);
    const found = await tx
      .selectFrom("precis_conversations")
      .select(["tenant", "id", "dialect", "length"])
      .where(({ eb, or, and }) =>
        or([eb("tenant", ">", from.tenant), and([eb("tenant", "=", from.tenant), eb("id", ">", from.id)])]),
      )
      .orderBy("tenant")
      .orderBy("id")
      .limit(CONVERSATIONS_PER_BATCH)
      .execute();
    let at = from;
    let messages = 0;
    for (const { tenant, id, dialect, length } of found) {
      if (messages > 0 && messages + Number(length) > MESSAGES_PER_BATCH) return more(at);
      await renameConversation(tx, engine, { tenant, id, dialect });
      messages += Number(length);
      at = { ...at, tenant, id, done: at.done + 1 };
    }
    return found.length < CONVERSATIONS_PER_BATCH ? { cursor: undefined, ...progressOf(at) } : more(at);
  },
};

function more(at: Cursor): MigrationBatch {
  return { cursor: JSON.stringify(at), ...progressOf(at) };
}

function progressOf({ done, total }: Cursor): { readonly done: number; readonly total: number } {
  return { done, total };
}

async function begin(tx: Db, engine: SqlEngine): Promise<Cursor> {
  await refuseOldNames(tx, engine);
  const { count } = await tx
    .selectFrom("precis_conversations")
    .select((e) => e.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  return { tenant: "", id: "", done: 0, total: Number(count) };
}

/**
 * A node of an older version that still runs would go on to write names of its own, which nobody finds again. From here on
 * the database refuses them, in words that tell what to do.
 */
async function refuseOldNames(tx: Db, { kind }: SqlEngine): Promise<void> {
  if (kind === "postgres")
    await sql`alter table precis_messages add constraint "precis was upgraded: restart this node with the new version"
      check (length(hash) <> 32 or hash !~ '^[0-9a-f]{32}$') not valid`.execute(tx);
  else
    await sql`create trigger precis_messages_old_names before insert on precis_messages
      when length(new.hash) = 32 and new.hash not glob '*[^0-9a-f]*'
      begin select raise(abort, 'precis was upgraded: restart this node with the new version'); end`.execute(
      tx,
    );
}

async function renameConversation(
  tx: Db,
  engine: SqlEngine,
  { tenant, id, dialect }: { readonly tenant: string; readonly id: string; readonly dialect: string | null },
): Promise<void> {
  const names = createNewNames(dialect ?? undefined);
  if (!names) return;
  for (let from = 0; ; from += MESSAGES_PER_PAGE) {
    const page = await readMessages(tx, tenant, id, { from, to: from + MESSAGES_PER_PAGE });
    const renamed = page.map((one) => ({ position: one.position, hash: one.hash, name: names.next(one) }));
    await runScriptIn(tx, engine, saveNames(tenant, id, renamed));
    const byHash = new Map(renamed.map((one) => [one.hash, one]));
    await renameRecords(tx, engine, tenant, [...byHash.keys()], (hash, length) => {
      const one = byHash.get(hash);
      return one && one.position + 1 === length ? one.name : undefined;
    });
    if (page.length < MESSAGES_PER_PAGE) return;
  }
}

function* saveNames(
  tenant: string,
  conversation: string,
  renamed: readonly { readonly position: number; readonly name: string }[],
): Script<void> {
  for (const batch of inBatches(renamed, ROWS_PER_STATEMENT))
    yield* rows(
      `with renamed (place, name) as (values ${batch.map(() => "(cast(? as bigint), cast(? as text))").join(", ")})
       update precis_messages set hash = renamed.name from renamed
       where tenant = ? and conversation = ? and position = renamed.place`,
      ...batch.flatMap(({ position, name }) => [position, name]),
      tenant,
      conversation,
    );
}

/** Records that stand on these messages. What isn't genuine was never believed, and goes. */
async function renameRecords(
  tx: Db,
  engine: SqlEngine,
  tenant: string,
  hashes: readonly string[],
  rename: (hash: string, length: number) => string | undefined,
): Promise<void> {
  const isHere = engine.isOneOf(sql.ref("hash"), hashes);
  const checkpoints = await tx
    .selectFrom("precis_checkpoints")
    .select(["id", "saved_at", "json"])
    .where("tenant", "=", tenant)
    .where(isHere)
    .execute();
  for (const { id, saved_at, json } of checkpoints) {
    const renamed = newCheckpoint(JSON.parse(json) as Checkpoint, rename);
    await tx.deleteFrom("precis_checkpoints").where("tenant", "=", tenant).where("id", "=", id).execute();
    if (renamed)
      await tx
        .insertInto("precis_checkpoints")
        .values({ tenant, id: renamed.id, hash: renamed.hash, saved_at, json: JSON.stringify(renamed) })
        .onConflict((c) => c.doNothing())
        .execute();
    await renameUndo(tx, tenant, id, renamed?.id);
  }
  const summaries = await tx
    .selectFrom("precis_summaries")
    .select(["key", "json"])
    .where("tenant", "=", tenant)
    .where(isHere)
    .execute();
  for (const { key, json } of summaries) {
    const renamed = newSummary(JSON.parse(json) as Summary, rename);
    const place = tx.updateTable("precis_summaries").where("tenant", "=", tenant).where("key", "=", key);
    if (renamed) await place.set({ hash: renamed.hash, json: JSON.stringify(renamed) }).execute();
    else
      await tx.deleteFrom("precis_summaries").where("tenant", "=", tenant).where("key", "=", key).execute();
  }
}

async function renameUndo(tx: Db, tenant: string, from: string, to: string | undefined): Promise<void> {
  const undo = await tx
    .deleteFrom("precis_undos")
    .where("tenant", "=", tenant)
    .where("checkpoint", "=", from)
    .returning(["saved_at", "json"])
    .executeTakeFirst();
  if (!undo || to === undefined) return;
  const json = JSON.stringify({ ...(JSON.parse(undo.json) as Undo), checkpoint: to });
  await tx
    .insertInto("precis_undos")
    .values({ tenant, checkpoint: to, saved_at: undo.saved_at, json })
    .onConflict((c) => c.doNothing())
    .execute();
}
