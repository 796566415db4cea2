import { EXPORT_VERSION, type ExportLine } from "../shared/export-line.ts";
import { type EventRow, eventOf, listCitations, readSettings } from "./beside.ts";
import { readBody } from "./bodies.ts";
import { type ClientKeyRow, clientKeyOf } from "./client-keys.ts";
import { type ConversationRow, conversationOf, plainRow } from "./conversation-row.ts";
import type { RecordRow } from "./records.ts";
import { requestsAfter } from "./requests.ts";
import { rows, type Script } from "./script.ts";
import type { SqlContext } from "./sql-context.ts";
import type { ReadScript } from "./sql-engine.ts";
import { numberOfNode, readNodes } from "./tree.ts";

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
      yield* requests(read, one);
      yield* events(read, one);
      yield* clientKeys(read, one);
      const settings = await read(readSettings(one));
      if (settings !== undefined) yield { type: "settings", tenant: one, settings };
    }
  });
  for await (const line of lines) yield JSON.stringify(line);
}

/** Every tenant that anything is stored for. */
export function* tenantsOf(): Script<string[]> {
  const tables = ["conversations", "records", "events", "client_keys", "settings"];
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
    (after = 0) =>
      read(
        rows<ConversationRow>(
          `select * from precis_conversations where tenant = ? and key > ? order by key limit ${ROWS_PER_PAGE}`,
          tenant,
          after,
        ),
      ),
    ({ key }) => Number(key),
  );
  for await (const given of found) {
    const row = plainRow(given);
    const conversation = conversationOf(row);
    const { id } = conversation;
    const head = row.head === null ? undefined : await read(readBody(row.head));
    const leaf = row.leaf === null ? undefined : numberOfNode(row.leaf);
    yield {
      type: "conversation",
      tenant,
      conversation,
      ...(head !== undefined && { head }),
      ...(leaf !== undefined && leaf !== row.nodes - 1 && { leaf }),
    };
    for (let from = 0; from < row.nodes; from += ROWS_PER_PAGE)
      for (const { n, parent, message } of await read(readNodes(row.key, from, from + ROWS_PER_PAGE)))
        yield {
          type: "message",
          tenant,
          conversation: id,
          message,
          ...(parent !== (n === 0 ? null : n - 1) && { parent }),
        };
    for (const citation of await read(listCitations(tenant, id)))
      yield { type: "citation", tenant, conversation: id, citation };
  }
}

async function* records(read: ReadScript, tenant: string): AsyncIterable<ExportLine> {
  const found = inPages(
    (after = "") =>
      read(
        rows<RecordRow>(
          `select kind, key, hash, min(json) as json, min(saved_at) as saved_at from precis_records
           where tenant = ? and kind || ' ' || key > ? group by kind, key, hash order by kind || ' ' || key limit ${ROWS_PER_PAGE}`,
          tenant,
          after,
        ),
      ),
    ({ kind, key }) => `${kind} ${key}`,
  );
  for await (const { kind, key, hash, json, saved_at } of found) {
    const record: unknown = JSON.parse(json);
    yield { type: "record", tenant, savedAt: Number(saved_at), kind, key, hash, record };
  }
}

async function* requests(read: ReadScript, tenant: string): AsyncIterable<ExportLine> {
  const found = inPages(
    (after = "") => read(requestsAfter(tenant, String(after), ROWS_PER_PAGE)),
    ({ id }) => id,
  );
  for await (const { head: _, ...request } of found) yield { type: "request", tenant, request };
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
