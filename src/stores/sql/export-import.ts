import type { Imported } from "../server-store.ts";
import {
  EXPORT_VERSION,
  type ExportLine,
  type ImportCount,
  type ImportedConversation,
  type ImportItem,
  readExport,
} from "../shared/export-line.ts";
import { checkName } from "../shared/texts.ts";
import { insertTree } from "./append.ts";
import { readSettings } from "./beside.ts";
import { readBody } from "./bodies.ts";
import { type ClientKeyRow, clientKeyOf, insertClientKey } from "./client-keys.ts";
import { type ConversationRow, conversationOf, rowOf } from "./conversation-row.ts";
import { insertRecord, nodesWith, otherAnswers, type RecordRow } from "./records.ts";
import { addRequest, requestsAfter } from "./requests.ts";
import { firstRow, putRow, rows, type Script } from "./script.ts";
import type { SqlContext } from "./sql-context.ts";
import type { ReadScript, SqlEngine } from "./sql-engine.ts";
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
      yield* clientKeys(read, one);
      const settings = await read(readSettings(one));
      if (settings !== undefined) yield { type: "settings", tenant: one, settings };
    }
  });
  for await (const line of lines) yield JSON.stringify(line);
}

/** Every tenant that anything is stored for. */
export function* tenantsOf(): Script<string[]> {
  const tables = ["conversations", "records", "client_keys", "settings"];
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
    ({ key }) => key,
  );
  for await (const row of found) {
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
    const answers = await read(otherAnswers(row.key));
    for (let from = 0; from < row.nodes; from += ROWS_PER_PAGE)
      for (const { n, parent, message } of await read(readNodes(row.key, from, from + ROWS_PER_PAGE)))
        yield {
          type: "message",
          tenant,
          conversation: id,
          message,
          ...(parent !== (n === 0 ? null : n - 1) && { parent }),
          ...(answers.has(n) && { answers: answers.get(n)! }),
        };
  }
}

async function* records(read: ReadScript, tenant: string): AsyncIterable<ExportLine> {
  const found = inPages(
    (after = "") =>
      read(
        rows<RecordRow>(
          `select kind, key, hash, min(json) as json, min(saved_at) as saved_at from precis_records
           where tenant = ? and kind <> 'answer' and kind || ' ' || key > ? group by kind, key, hash order by kind || ' ' || key limit ${ROWS_PER_PAGE}`,
          tenant,
          after,
        ),
      ),
    ({ kind, key }) => `${kind} ${key}`,
  );
  for await (const { kind, key, hash, json, saved_at } of found) {
    const record: unknown = JSON.parse(json);
    yield { type: "record", tenant, savedAt: saved_at, kind, key, hash, record };
  }
}

async function* requests(read: ReadScript, tenant: string): AsyncIterable<ExportLine> {
  const found = inPages(
    (after = "") => read(requestsAfter(tenant, String(after), ROWS_PER_PAGE)),
    ({ id }) => id,
  );
  for await (const { head: _, ...request } of found) yield { type: "request", tenant, request };
}

async function* clientKeys(read: ReadScript, tenant: string): AsyncIterable<ExportLine> {
  const found = await read(rows<ClientKeyRow>("select * from precis_client_keys where tenant = ?", tenant));
  for (const row of found) yield { type: "clientKey", tenant, hash: row.hash, clientKey: clientKeyOf(row) };
}

/** Items that one transaction takes. */
const ITEMS_PER_WRITE = 100;

/** Adds what an export holds and isn't there yet. */
export async function importAll(
  context: SqlContext,
  lines: AsyncIterable<string> | Iterable<string>,
  options: { readonly clientKeys?: boolean } = {},
): Promise<Imported> {
  const count: ImportCount = { lines: 0, added: 0, clientKeys: { added: 0, leftOut: 0 } };
  let items: ImportItem[] = [];
  const flush = async () => {
    const batch = items;
    items = [];
    if (batch.length === 0) return;
    const added = await context.write("import", function* () {
      const { lockName } = context.engine;
      if (lockName !== undefined) yield* rows(lockName, IMPORT_LOCK);
      let [all, keys] = [0, 0];
      for (const item of batch) {
        const one = yield* importItem(context, item);
        all += one;
        if (item.type === "clientKey") keys += one;
      }
      return { all, keys };
    });
    count.added += added.all;
    count.clientKeys.added += added.keys;
  };
  try {
    for await (const item of readExport(lines, count, options)) {
      items.push(item);
      // A conversation may be large: it is written at once rather than held with others.
      if (items.length >= ITEMS_PER_WRITE || item.type === "whole-conversation") await flush();
    }
  } finally {
    // What came before a wrong line is imported.
    await flush();
  }
  return count;
}

/** Name of the lock that keeps two imports from adding the same thing at once. */
const IMPORT_LOCK = "precis/import";

/** How many things were added: a conversation counts with its messages. */
function* importItem({ engine, now }: SqlContext, item: ImportItem): Script<number> {
  const { tenant } = item;
  checkName("import", "tenant", tenant);
  switch (item.type) {
    case "whole-conversation":
      return yield* importConversation(engine, item);
    case "clientKey":
      return Number(yield* insertClientKey(item.hash, { ...item.clientKey, tenant }, "stays"));
    case "settings": {
      const row = { tenant, json: JSON.stringify(item.settings ?? null) };
      return Number(yield* putRow("precis_settings", row, "stays"));
    }
    case "request":
      return yield* addRequest(engine, tenant, item.request, now());
    case "record":
      return yield* importRecord(item);
    default:
      return item satisfies never;
  }
}

function* importConversation(engine: SqlEngine, item: ImportedConversation): Script<number> {
  const { tenant, conversation, messages } = item;
  const id = checkName("import", "conversation", conversation.id);
  if (yield* rowOf(tenant, id)) return 0;
  yield* insertTree(engine, item);
  return 1 + messages.length;
}

/** A record stands on every message of its name; one whose message isn't there says nothing. */
function* importRecord(item: Extract<ImportItem, { type: "record" }>): Script<number> {
  const { tenant, savedAt: saved_at, kind, key, hash, record } = item;
  const known = yield* firstRow(
    "select 1 from precis_records where tenant = ? and kind = ? and key = ?",
    tenant,
    kind,
    key,
  );
  if (known) return 0;
  const nodes = yield* nodesWith(tenant, hash);
  for (const node of nodes.length > 0 ? nodes : [null])
    yield* insertRecord({ tenant, kind, key, hash, saved_at, json: JSON.stringify(record) }, node);
  return 1;
}
