import type { Checkpoint, Summary, Undo } from "../../core/types.ts";
import { EXPORT_VERSION, type ExportLine } from "../shared/export-line.ts";
import { conversationOf } from "../shared/rows.ts";
import { listCitations } from "./citations.ts";
import { clientKeyOf } from "./client-keys.ts";
import { eventOf } from "./events.ts";
import { readMessages } from "./read-messages.ts";
import type { SqlContext } from "./sql-context.ts";
import type { Db } from "./sql-engine.ts";
import { tenantsOf } from "./tenants.ts";

/** Rows that are held in memory at a time. */
const ROWS_PER_PAGE = 500;

/** Everything, or everything of a tenant, as lines of JSON. */
export async function* exportAll(
  { now, snapshot }: SqlContext,
  { tenant }: { readonly tenant?: string },
): AsyncIterable<string> {
  const lines = snapshot("export", async function* (db): AsyncIterable<ExportLine> {
    const all = await tenantsOf(db);
    const tenants = tenant === undefined ? all : [tenant];
    // Only now: the first query is what the moment of the export is.
    yield { type: "precis-export", version: EXPORT_VERSION, at: now() };
    for (const one of tenants) {
      yield* conversations(db, one);
      yield* records(db, one);
      yield* events(db, one);
      yield* clientKeys(db, one);
    }
  });
  for await (const line of lines) yield JSON.stringify(line);
}

async function* conversations(db: Db, tenant: string): AsyncIterable<ExportLine> {
  let after = "";
  for (;;) {
    const rows = await db
      .selectFrom("precis_conversations as c")
      .leftJoin("precis_bodies as b", (join) =>
        join.onRef("b.tenant", "=", "c.tenant").onRef("b.hash", "=", "c.head"),
      )
      .selectAll("c")
      .select("b.wire")
      .where("c.tenant", "=", tenant)
      .where("c.id", ">", after)
      .orderBy("c.id")
      .limit(ROWS_PER_PAGE)
      .execute();
    for (const { wire, ...row } of rows) {
      const conversation = conversationOf(row);
      yield { type: "conversation", tenant, conversation, ...(wire !== null && { head: wire }) };
      yield* messages(db, tenant, conversation.id);
      yield* citations(db, tenant, conversation.id);
      after = row.id;
    }
    if (rows.length < ROWS_PER_PAGE) return;
  }
}

async function* messages(db: Db, tenant: string, conversation: string): AsyncIterable<ExportLine> {
  for (let from = 0; ; from += ROWS_PER_PAGE) {
    const page = await readMessages(db, tenant, conversation, { from, to: from + ROWS_PER_PAGE });
    for (const message of page) yield { type: "message", tenant, conversation, message };
    if (page.length < ROWS_PER_PAGE) return;
  }
}

async function* citations(db: Db, tenant: string, conversation: string): AsyncIterable<ExportLine> {
  for (const citation of await listCitations(db, tenant, conversation))
    yield { type: "citation", tenant, conversation, citation };
}

async function* records(db: Db, tenant: string): AsyncIterable<ExportLine> {
  const pages = [
    { type: "checkpoint", table: "precis_checkpoints", key: "id" },
    { type: "summary", table: "precis_summaries", key: "key" },
    { type: "undo", table: "precis_undos", key: "checkpoint" },
  ] as const;
  for (const { type, table, key } of pages) {
    let after = "";
    for (;;) {
      const rows = await db
        .selectFrom(table)
        .select(["json", "saved_at"])
        .select((e) =>
          e
            .ref(key as never)
            .$castTo<string>()
            .as("key"),
        )
        .where("tenant", "=", tenant)
        .where((e) => e(e.ref(key as never), ">", after as never))
        .orderBy(key as never)
        .limit(ROWS_PER_PAGE)
        .execute();
      for (const row of rows) {
        const record = JSON.parse(row.json) as Checkpoint & Summary & Undo;
        yield { type, tenant, savedAt: Number(row.saved_at), record };
        after = row.key;
      }
      if (rows.length < ROWS_PER_PAGE) break;
    }
  }
}

async function* events(db: Db, tenant: string): AsyncIterable<ExportLine> {
  let after = 0;
  for (;;) {
    const rows = await db
      .selectFrom("precis_events")
      .selectAll()
      .where("tenant", "=", tenant)
      .where("id", ">", after)
      .orderBy("id")
      .limit(ROWS_PER_PAGE)
      .execute();
    for (const row of rows) {
      yield { type: "event", tenant, event: eventOf(row) };
      after = Number(row.id);
    }
    if (rows.length < ROWS_PER_PAGE) return;
  }
}

async function* clientKeys(db: Db, tenant: string): AsyncIterable<ExportLine> {
  const rows = await db.selectFrom("precis_client_keys").selectAll().where("tenant", "=", tenant).execute();
  for (const row of rows) yield { type: "clientKey", tenant, hash: row.hash, clientKey: clientKeyOf(row) };
}
