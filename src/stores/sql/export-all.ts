import type { Checkpoint, Summary, Undo } from "../../core/types.ts";
import type { ConversationRow } from "../shared/columns.ts";
import { EXPORT_VERSION, type ExportLine } from "../shared/export-line.ts";
import { conversationOf } from "../shared/rows.ts";
import { listCitations } from "./citations.ts";
import { type ClientKeyRow, clientKeyOf } from "./client-keys.ts";
import { type EventRow, eventOf } from "./events.ts";
import { readMessages } from "./read-messages.ts";
import { rows, type Script } from "./script.ts";
import type { SqlContext } from "./sql-context.ts";
import type { ReadScript } from "./sql-engine.ts";

/** Rows that are held in memory at a time. */
const ROWS_PER_PAGE = 500;

/** Everything, or everything of a tenant, as lines of JSON. */
export async function* exportAll(
  { now, snapshot }: SqlContext,
  { tenant }: { readonly tenant?: string },
): AsyncIterable<string> {
  const lines = snapshot("export", async function* (read): AsyncIterable<ExportLine> {
    const all = await read(tenantsOf());
    const tenants = tenant === undefined ? all : [tenant];
    // Only now: the first query is what the moment of the export is.
    yield { type: "precis-export", version: EXPORT_VERSION, at: now() };
    for (const one of tenants) {
      yield* conversations(read, one);
      yield* records(read, one);
      yield* events(read, one);
      yield* clientKeys(read, one);
    }
  });
  for await (const line of lines) yield JSON.stringify(line);
}

/** Every tenant that anything is stored for. */
export function* tenantsOf(): Script<string[]> {
  const tables = ["conversations", "checkpoints", "summaries", "undos", "events", "client_keys"];
  const found = yield* rows<{ readonly tenant: string }>(
    tables.map((table) => `select tenant from precis_${table}`).join(" union "),
  );
  return found.map(({ tenant }) => tenant).sort();
}

/** The rows of a statement, some at a time: it takes `after`, where the page before ended, and how many. */
async function* inPages<R>(
  page: (after: string | number | undefined) => Promise<readonly R[]>,
  keyOf: (row: R) => string | number,
): AsyncIterable<R> {
  for (let after: string | number | undefined; ; ) {
    const found = await page(after);
    yield* found;
    const last = found.at(-1);
    if (last === undefined || found.length < ROWS_PER_PAGE) return;
    after = keyOf(last);
  }
}

async function* conversations(read: ReadScript, tenant: string): AsyncIterable<ExportLine> {
  const found = inPages(
    (after = "") =>
      read(
        rows<ConversationRow & { readonly wire: string | null }>(
          `select c.*, b.wire from precis_conversations c
           left join precis_bodies b on b.tenant = c.tenant and b.hash = c.head
           where c.tenant = ? and c.id > ? order by c.id limit ${ROWS_PER_PAGE}`,
          tenant,
          after,
        ),
      ),
    ({ id }) => id,
  );
  for await (const { wire, ...row } of found) {
    const conversation = conversationOf(row);
    const { id } = conversation;
    yield { type: "conversation", tenant, conversation, ...(wire !== null && { head: wire }) };
    const messages = inPages(
      (from = 0) => read(readMessages(tenant, id, { from: Number(from), to: Number(from) + ROWS_PER_PAGE })),
      ({ position }) => position + 1,
    );
    for await (const message of messages) yield { type: "message", tenant, conversation: id, message };
    for (const citation of await read(listCitations(tenant, id)))
      yield { type: "citation", tenant, conversation: id, citation };
  }
}

async function* records(read: ReadScript, tenant: string): AsyncIterable<ExportLine> {
  for (const [type, table, key] of [
    ["checkpoint", "precis_checkpoints", "id"],
    ["summary", "precis_summaries", "key"],
    ["undo", "precis_undos", "checkpoint"],
  ] as const) {
    const found = inPages(
      (after = "") =>
        read(
          rows<{ readonly key: string; readonly json: string; readonly saved_at: number | string }>(
            `select ${key} as key, json, saved_at from ${table} where tenant = ? and ${key} > ? order by ${key} limit ${ROWS_PER_PAGE}`,
            tenant,
            after,
          ),
        ),
      (row) => row.key,
    );
    for await (const { json, saved_at } of found) {
      const record = JSON.parse(json) as Checkpoint & Summary & Undo;
      yield { type, tenant, savedAt: Number(saved_at), record };
    }
  }
}

async function* events(read: ReadScript, tenant: string): AsyncIterable<ExportLine> {
  const found = inPages(
    (after = 0) =>
      read(
        rows<EventRow>(
          `select * from precis_events where tenant = ? and id > ? order by id limit ${ROWS_PER_PAGE}`,
          tenant,
          after,
        ),
      ),
    ({ id }) => Number(id),
  );
  for await (const row of found) yield { type: "event", tenant, event: eventOf(row) };
}

async function* clientKeys(read: ReadScript, tenant: string): AsyncIterable<ExportLine> {
  const found = await read(rows<ClientKeyRow>("select * from precis_client_keys where tenant = ?", tenant));
  for (const row of found) yield { type: "clientKey", tenant, hash: row.hash, clientKey: clientKeyOf(row) };
}
