import type { Imported } from "../server-store.ts";
import { checkName } from "../shared/check-name.ts";
import {
  type ImportedConversation,
  type ImportItem,
  type LineCount,
  readExport,
} from "../shared/export-line.ts";
import { planImport } from "../shared/plan-import.ts";
import { carryOut } from "./carry-out.ts";
import { insertCitation } from "./citations.ts";
import { TEXT_PLACES } from "./place-text.ts";
import type { SqlContext } from "./sql-context.ts";
import type { Db, SqlEngine } from "./sql-engine.ts";
import { runScriptIn } from "./writer.ts";

/** Items that one transaction takes. */
const ITEMS_PER_WRITE = 100;

/** Adds what an export holds and isn't there yet. */
export async function importAll(
  context: SqlContext,
  lines: AsyncIterable<string> | Iterable<string>,
  { clientKeys = false }: { readonly clientKeys?: boolean } = {},
): Promise<Imported> {
  const count: LineCount = { lines: 0 };
  const addedConversations = new Set<string>();
  let added = 0;
  const keys = { added: 0, leftOut: 0 };
  let items: ImportItem[] = [];
  const flush = async () => {
    const batch = items;
    items = [];
    if (batch.length === 0) return;
    const written = await context.write("import", async (tx) => {
      let sum = 0;
      let addedKeys = 0;
      for (const item of batch) {
        const one = await importItem(context.engine, tx, item, addedConversations);
        sum += one;
        if (item.type === "clientKey") addedKeys += one;
      }
      return { sum, addedKeys };
    });
    added += written.sum;
    keys.added += written.addedKeys;
  };
  for await (const item of readExport(lines, count)) {
    if (item.type === "clientKey" && !clientKeys) {
      keys.leftOut++;
      continue;
    }
    items.push(item);
    // A conversation may be large: it is written at once rather than held with others.
    if (items.length >= ITEMS_PER_WRITE || item.type === "whole-conversation") await flush();
  }
  await flush();
  return { lines: count.lines, added, clientKeys: keys };
}

/** How many things were added: a conversation counts with its messages and citations. */
async function importItem(
  engine: SqlEngine,
  tx: Db,
  item: ImportItem,
  addedConversations: Set<string>,
): Promise<number> {
  checkName("import", "tenant", item.tenant);
  switch (item.type) {
    case "whole-conversation": {
      const added = await importConversation(engine, tx, item);
      if (added > 0) addedConversations.add(`${item.tenant}/${item.conversation.id}`);
      return added;
    }
    case "event":
      return importEvent(tx, item, addedConversations);
    case "clientKey": {
      const { id, name, limits, createdAt, expiresAt, revokedAt, lastUsedAt } = item.clientKey;
      const result = await tx
        .insertInto("precis_client_keys")
        .values({
          tenant: item.tenant,
          id,
          hash: item.hash,
          name,
          limits: JSON.stringify(limits),
          created_at: createdAt,
          expires_at: expiresAt ?? null,
          revoked_at: revokedAt ?? null,
          last_used_at: lastUsedAt ?? null,
        })
        .onConflict((c) => c.doNothing())
        .executeTakeFirst();
      return Number(result.numInsertedOrUpdatedRows ?? 0);
    }
    default:
      return importRecord(tx, item);
  }
}

async function importConversation(engine: SqlEngine, tx: Db, item: ImportedConversation): Promise<number> {
  const { tenant, conversation, messages, citations } = item;
  const id = checkName("import", "conversation", conversation.id);
  const known = await tx
    .selectFrom("precis_conversations")
    .select("id")
    .where("tenant", "=", tenant)
    .where("id", "=", id)
    .executeTakeFirst();
  if (known) return 0;
  await runScriptIn(tx, engine, carryOut(engine, [planImport(item, TEXT_PLACES)]));
  for (const citation of citations) await insertCitation(tx, tenant, id, citation);
  return 1 + messages.length + citations.length;
}

/**
 * Events keep their ids where those are still free. Those of a conversation that came with this import get the next
 * ids otherwise; the rest is there already.
 */
async function importEvent(
  tx: Db,
  { tenant, event }: Extract<ImportItem, { type: "event" }>,
  addedConversations: ReadonlySet<string>,
): Promise<number> {
  const counter = await tx
    .selectFrom("precis_tenants")
    .select("last_event")
    .where("tenant", "=", tenant)
    .executeTakeFirst();
  const last = Number(counter?.last_event ?? 0);
  const cameNow = addedConversations.has(`${tenant}/${event.conversation}`);
  if (event.id <= last && !cameNow) return 0;
  if (event.conversation !== undefined) {
    const conversation = await tx
      .selectFrom("precis_conversations")
      .select("id")
      .where("tenant", "=", tenant)
      .where("id", "=", event.conversation)
      .executeTakeFirst();
    if (!conversation) return 0;
  }
  const id = Math.max(event.id, last + 1);
  await tx
    .insertInto("precis_tenants")
    .values({ tenant, last_event: id })
    .onConflict((c) => c.column("tenant").doUpdateSet({ last_event: id }))
    .execute();
  await tx
    .insertInto("precis_events")
    .values({
      tenant,
      id,
      conversation: event.conversation ?? null,
      type: event.type,
      at: event.at,
      data: JSON.stringify(event.data ?? null),
    })
    .execute();
  return 1;
}

async function importRecord(
  tx: Db,
  item: Extract<ImportItem, { type: "checkpoint" | "summary" | "undo" }>,
): Promise<number> {
  const { tenant, savedAt: saved_at, record } = item;
  const json = JSON.stringify(record);
  const insert =
    item.type === "checkpoint"
      ? tx
          .insertInto("precis_checkpoints")
          .values({ tenant, id: item.record.id, hash: item.record.hash, saved_at, json })
      : item.type === "summary"
        ? tx
            .insertInto("precis_summaries")
            .values({ tenant, key: item.record.key, hash: item.record.hash, saved_at, json })
        : tx
            .insertInto("precis_undos")
            .values({ tenant, checkpoint: item.record.checkpoint, saved_at, json });
  const result = await insert.onConflict((c) => c.doNothing()).executeTakeFirst();
  return Number(result.numInsertedOrUpdatedRows ?? 0);
}
