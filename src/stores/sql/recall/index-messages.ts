import { rows, type Script, type Statement } from "../script.ts";
import type { SqlEngine } from "../sql-engine.ts";
import {
  addTotals,
  type Documents,
  documentsOf,
  NO_TOTALS,
  type StoredText,
  type Totals,
  tokenOf,
} from "./documents.ts";

/** Full text search as a database has it: documents by number, found by tokens. */
export interface TextIndex {
  add(document: number, tokens: readonly string[]): Statement;
  /** The tokens are those that it was added with. */
  remove(document: number, tokens: readonly string[]): Statement;
  /** Documents of a range that hold at least one of the tokens, the newest first, as rows with `doc`. */
  find(tokens: readonly string[], range: readonly [from: number, to: number], limit: number): Statement;
}

/** What it needs of a database. */
export type IndexEngine = Pick<SqlEngine, "lockRows" | "textIndex">;

/** Conversations that one transaction looks at. */
const CONVERSATIONS_AT_ONCE = 50;

interface Unindexed {
  readonly tenant: string;
  readonly id: string;
  readonly dialect: string | null;
  readonly indexed: number | string;
  readonly length: number | string;
}

/**
 * Puts some messages into the index that aren't in it yet, and says how many. Appends don't wait for it: whoever searches a
 * tenant first sees to it that nothing is left, and waits for what others are indexing. Without a tenant, it leaves that to them.
 */
export function* indexSome(engine: IndexEngine, most: number, tenant?: string): Script<number> {
  // Two that search wait for each other in one order.
  const [which, lock] =
    tenant === undefined ? ["", " for update skip locked"] : ["and tenant = ? order by id", " for update"];
  const found = yield* rows<Unindexed>(
    `select tenant, id, dialect, indexed, length from precis_conversations where indexed < length
     ${which} limit ${CONVERSATIONS_AT_ONCE}${engine.lockRows ? lock : ""}`,
    ...(tenant === undefined ? [] : [tenant]),
  );
  let left = most;
  for (const one of found) {
    if (left <= 0) break;
    const from = Number(one.indexed);
    const to = Math.min(Number(one.length), from + left);
    const number = yield* numberOf("precis_recall_conversations", one.tenant, one.id);
    const documents = documentsOf(number, one.dialect, yield* textsOf(one.tenant, one.id, from, to));
    const tenantNumber = yield* numberOf("precis_recall_tenants", one.tenant);
    for (const { number: document, keys } of documents.documents)
      yield engine.textIndex.add(
        document,
        keys.map((key) => tokenOf(tenantNumber, key)),
      );
    yield* count(engine, tenantNumber, number, documents, 1);
    yield* setIndexed(one.tenant, one.id, to);
    left -= to - from;
  }
  return most - left;
}

/** Takes a conversation's messages from a position on out of the index, before they are deleted. */
export function* forgetMessages(
  engine: IndexEngine,
  tenant: string,
  conversation: string,
  from: number,
): Script<void> {
  const [row] = yield* rows<Unindexed>(
    "select tenant, id, dialect, indexed, length from precis_conversations where tenant = ? and id = ?",
    tenant,
    conversation,
  );
  const to = Number(row?.indexed ?? 0);
  if (!row || to <= from) return;
  const number = yield* numberOf("precis_recall_conversations", tenant, conversation);
  const tenantNumber = yield* numberOf("precis_recall_tenants", tenant);
  const documents = documentsOf(number, row.dialect, yield* textsOf(tenant, conversation, from, to));
  for (const { number: document, keys } of documents.documents)
    yield engine.textIndex.remove(
      document,
      keys.map((key) => tokenOf(tenantNumber, key)),
    );
  yield* count(engine, tenantNumber, number, documents, -1);
  yield* setIndexed(tenant, conversation, from);
  if (from === 0) yield* rows("delete from precis_recall_conversations where number = ?", number);
}

function* setIndexed(tenant: string, id: string, length: number): Script<void> {
  yield* rows("update precis_conversations set indexed = ? where tenant = ? and id = ?", length, tenant, id);
}

function* textsOf(
  tenant: string,
  conversation: string,
  from: number,
  to: number,
): Script<readonly StoredText[]> {
  return yield* rows<StoredText>(
    `select m.position, coalesce(m.wire, b.wire) as wire from precis_messages m
     left join precis_bodies b on b.tenant = m.tenant and b.hash = m.body
     where m.tenant = ? and m.conversation = ? and m.position >= ? and m.position < ? order by m.position`,
    tenant,
    conversation,
    from,
    to,
  );
}

/** The number of a tenant or a conversation in the index, made if there is none. */
function* numberOf(
  table: "precis_recall_tenants" | "precis_recall_conversations",
  tenant: string,
  conversation?: string,
): Script<number> {
  const known = yield* knownNumber(table, tenant, conversation);
  if (known !== undefined) return known.number;
  if (conversation === undefined)
    yield* rows(
      "insert into precis_recall_tenants (tenant, totals, oldest, newest) values (?, ?, 0, 0) on conflict do nothing",
      tenant,
      JSON.stringify(NO_TOTALS),
    );
  else
    yield* rows(
      "insert into precis_recall_conversations (tenant, conversation, totals) values (?, ?, ?) on conflict do nothing",
      tenant,
      conversation,
      JSON.stringify(NO_TOTALS),
    );
  return (yield* knownNumber(table, tenant, conversation))!.number;
}

/** What the index knows of a tenant or a conversation. */
export interface Known {
  readonly number: number;
  readonly totals: Totals;
  /** Of a tenant: its first and its newest document. */
  readonly oldest: number;
  readonly newest: number;
}

export function* knownNumber(
  table: "precis_recall_tenants" | "precis_recall_conversations",
  tenant: string,
  conversation?: string,
): Script<Known | undefined> {
  const isTenant = conversation === undefined;
  const [found] = yield* rows<{
    number: number | string;
    totals: string;
    oldest?: number | string;
    newest?: number | string;
  }>(
    `select * from ${table} where tenant = ?${isTenant ? "" : " and conversation = ?"}`,
    tenant,
    ...(isTenant ? [] : [conversation]),
  );
  return (
    found && {
      number: Number(found.number),
      totals: JSON.parse(found.totals) as Totals,
      oldest: Number(found.oldest ?? 0),
      newest: Number(found.newest ?? 0),
    }
  );
}

/** Counts what came or went, for the conversation and for its tenant. */
function* count(
  { lockRows }: IndexEngine,
  tenant: number,
  conversation: number,
  { documents, totals }: Documents,
  sign: 1 | -1,
): Script<void> {
  for (const [table, number] of [
    ["precis_recall_conversations", conversation],
    ["precis_recall_tenants", tenant],
  ] as const) {
    const [row] = yield* rows<{ totals: string }>(
      `select totals from ${table} where number = ?${lockRows ? " for update" : ""}`,
      number,
    );
    const before = row ? (JSON.parse(row.totals) as Totals) : NO_TOTALS;
    const after = JSON.stringify(addTotals(before, totals, sign));
    yield* rows(`update ${table} set totals = ? where number = ?`, after, number);
  }
  const newest = documents.at(-1)?.number ?? 0;
  yield* rows(
    `update precis_recall_tenants set newest = ?, oldest = case when oldest = 0 then ? else oldest end
     where number = ? and newest < ?`,
    newest,
    documents[0]?.number ?? 0,
    tenant,
    newest,
  );
}
