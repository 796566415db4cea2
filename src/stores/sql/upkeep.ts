import { sql } from "kysely";
import { migrations } from "../migrations/index.ts";
import type { Retention, StoreCount, StoreStats, Swept, Upkeep } from "../server-store.ts";
import { LEASE_MEMORY_MS, TOMBSTONE_MS } from "../shared/limits.ts";
import { noBackup } from "../shared/no-backup.ts";
import { deleteConversation } from "./delete-conversation.ts";
import { exportAll } from "./export-all.ts";
import { importAll } from "./import-all.ts";
import type { SqlContext } from "./sql-context.ts";
import type { Db } from "./sql-engine.ts";
import { tenantsOf } from "./tenants.ts";

/** Conversations that one transaction of a sweep removes, so that nobody waits long for it. */
const CONVERSATIONS_PER_SWEEP = 50;

const COUNTED = {
  conversations: "precis_conversations",
  messages: "precis_messages",
  bodies: "precis_bodies",
  checkpoints: "precis_checkpoints",
  summaries: "precis_summaries",
  undos: "precis_undos",
  events: "precis_events",
  citations: "precis_citations",
  leases: "precis_leases",
  clientKeys: "precis_client_keys",
} as const satisfies Record<StoreCount, string>;

export function sqlUpkeep(context: SqlContext): Upkeep {
  const { engine, read } = context;
  return {
    sweep: (retention = {}) => sweep(context, retention),
    stats: (tenant) => read("stats", (db) => stats(context, db, tenant)),
    activeTenants: (since) =>
      read("activeTenants", async (db) => {
        const rows = await db
          .selectFrom("precis_conversations")
          .select("tenant")
          .distinct()
          .where("updated_at", ">=", Math.round(since))
          .execute();
        return rows.map((row) => row.tenant).sort();
      }),
    vacuum: () => read("vacuum", (db) => engine.vacuum(db)),
    backup: (file) =>
      read("backup", async () => {
        if (!engine.backup)
          throw noBackup("Use `precis db export`, or the database's own tools (`pg_dump`).");
        await engine.backup(file);
      }),
    exportAll: (options = {}) => exportAll(context, options),
    importAll: (lines, options) => importAll(context, lines, options),
  };
}

async function sweep(context: SqlContext, retention: Retention): Promise<Swept> {
  const { engine, now, read, write } = context;
  const at = now();
  const before = (ms: number | undefined) => (ms === undefined ? undefined : at - ms);
  const conversations = await sweepConversations(
    context,
    retention.tenant,
    at,
    before(retention.conversationsMs),
  );
  const eventsBefore = before(retention.eventsMs);
  const recordsBefore = before(retention.recordsMs);
  const swept = await write("sweep", async (tx) => {
    const events = eventsBefore === undefined ? 0 : await sweepEvents(tx, retention.tenant, eventsBefore);
    const records = recordsBefore === undefined ? 0 : await sweepRecords(tx, retention.tenant, recordsBefore);
    const leases = await tx
      .deleteFrom("precis_leases")
      .where("expires_at", "<=", at - LEASE_MEMORY_MS)
      .executeTakeFirst();
    await tx
      .deleteFrom("precis_tombstones")
      .where("at", "<=", at - TOMBSTONE_MS)
      .execute();
    return { events, records, leases: Number(leases.numDeletedRows) };
  });
  if (conversations + swept.records + swept.events > 0) await read("sweep", async (db) => engine.scrub?.(db));
  return { conversations, ...swept };
}

async function sweepConversations(
  context: SqlContext,
  tenant: string | undefined,
  at: number,
  before: number | undefined,
): Promise<number> {
  for (let total = 0; ; ) {
    const removed = await context.write("sweep", async (tx) => {
      const rows = await tx
        .selectFrom("precis_conversations")
        .select(["tenant", "id"])
        .$if(tenant !== undefined, (query) => query.where("tenant", "=", tenant ?? ""))
        .where(({ eb, or, and }) =>
          or([
            eb("expires_at", "<=", at),
            ...(before === undefined
              ? []
              : [
                  and([
                    eb("updated_at", "<", before),
                    eb("created_at", "<", before),
                    or([eb("stored_at", "is", null), eb("stored_at", "<", before)]),
                    eb("pinned", "=", 0),
                  ]),
                ]),
          ]),
        )
        .limit(CONVERSATIONS_PER_SWEEP)
        .execute();
      // One tenant after the other, as on every other node: each has a lock.
      rows.sort((a, b) => (a.tenant < b.tenant ? -1 : a.tenant > b.tenant ? 1 : 0));
      for (const row of rows) await deleteConversation(context, tx, row.tenant, row.id);
      return rows.length;
    });
    total += removed;
    if (removed < CONVERSATIONS_PER_SWEEP) return total;
  }
}

async function sweepEvents(tx: Db, tenant: string | undefined, before: number): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom("precis_events")
    .$if(tenant !== undefined, (query) => query.where("tenant", "=", tenant ?? ""))
    .where("at", "<", before)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

async function sweepRecords(tx: Db, tenant: string | undefined, before: number): Promise<number> {
  let removed = 0;
  for (const table of [
    "precis_checkpoints",
    "precis_summaries",
    "precis_answers",
    "precis_recalled",
  ] as const) {
    const { numDeletedRows } = await tx
      .deleteFrom(table)
      .$if(tenant !== undefined, (query) => query.where("tenant", "=", tenant ?? ""))
      .where("saved_at", "<", before)
      .where(
        sql<boolean>`not exists (select 1 from precis_messages m where m.tenant = ${sql.ref(`${table}.tenant`)} and m.hash = ${sql.ref(`${table}.hash`)})`,
      )
      .executeTakeFirst();
    removed += Number(numDeletedRows);
  }
  const { numDeletedRows } = await tx
    .deleteFrom("precis_undos")
    .$if(tenant !== undefined, (query) => query.where("tenant", "=", tenant ?? ""))
    .where("saved_at", "<", before)
    .where(
      sql<boolean>`not exists (select 1 from precis_checkpoints c where c.tenant = precis_undos.tenant and c.id = precis_undos.checkpoint)`,
    )
    .executeTakeFirst();
  return removed + Number(numDeletedRows);
}

async function stats({ engine }: SqlContext, db: Db, tenant: string | undefined): Promise<StoreStats> {
  const counts = {} as Record<StoreCount, number>;
  for (const [name, table] of Object.entries(COUNTED)) {
    const { count } = await db
      .selectFrom(table)
      .select((e) => e.fn.countAll<number>().as("count"))
      .$if(tenant !== undefined, (query) => query.where("tenant", "=", tenant ?? ""))
      .executeTakeFirstOrThrow();
    counts[name as StoreCount] = Number(count);
  }
  // Texts that stand with their messages are counted by those that don't: there is an index of these.
  const { withBody } = await db
    .selectFrom("precis_messages")
    .select((e) => e.fn.countAll<number>().as("withBody"))
    .where("body", "is not", null)
    .$if(tenant !== undefined, (query) => query.where("tenant", "=", tenant ?? ""))
    .executeTakeFirstOrThrow();
  const { updated_at } = await db
    .selectFrom("precis_conversations")
    .select((e) => e.fn.max("updated_at").as("updated_at"))
    .$if(tenant !== undefined, (query) => query.where("tenant", "=", tenant ?? ""))
    .executeTakeFirstOrThrow();
  return {
    kind: engine.kind,
    schema: migrations.length,
    tenants: (await tenantsOf(db)).filter((one) => tenant === undefined || one === tenant).length,
    counts: { ...counts, bodies: counts.bodies + counts.messages - Number(withBody) },
    bytes: await engine.bytes(db),
    updatedAt: updated_at === null ? undefined : Number(updated_at),
  };
}
