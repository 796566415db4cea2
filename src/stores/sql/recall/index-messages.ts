import { dialectById } from "../../../apis/dialect-by-id.ts";
import { parseExact } from "../../../core/json.ts";
import type { Dialect, Message } from "../../../core/types.ts";
import { type ByKind, type Kind, readMessage } from "../../../recall/candidates.ts";
import type { ConversationRow } from "../conversation-row.ts";
import { firstRow, rows, type Script, type Statement } from "../script.ts";
import type { SqlEngine } from "../sql-engine.ts";
import { keyOfNode, nodeId, nodesOf } from "../tree.ts";

/** Full text search as a database has it: documents by number, found by tokens. */
export interface TextIndex {
  add(document: number, tokens: readonly string[]): Statement;
  /** The tokens are those that it was added with. */
  remove(document: number, tokens: readonly string[]): Statement;
  /**
   * Documents of a range that hold at least one of the tokens, the newest first, as rows with `doc`. `condition` says in SQL, given the
   * column of their numbers, which of them count.
   */
  find(
    tokens: readonly string[],
    range: readonly [from: number, to: number],
    limit: number,
    condition?: (doc: string) => string,
  ): Statement;
}

/** What it needs of a database. */
export type IndexEngine = Pick<SqlEngine, "lockRows" | "textIndex">;

/** Conversations that one transaction looks at. */
const CONVERSATIONS_AT_ONCE = 50;
/**
 * Bytes of messages that one transaction indexes, unless a single one is longer: nothing else runs meanwhile, and a megabyte of
 * words took a second on a busy machine.
 */
const BYTES_AT_ONCE = 64 * 1_024;

/** What it needs to know of a conversation. */
type Indexed = Pick<ConversationRow, "key" | "tenant" | "dialect" | "indexed">;

/**
 * Puts some messages into the index that aren't in it yet, at most so many, and says if there may be more. Appends don't wait for
 * it: whoever searches a tenant first sees to it that nothing is left, and waits for what others are indexing. Without a tenant,
 * it leaves that to them.
 */
export function* indexSome(engine: IndexEngine, most: number, tenant?: string): Script<boolean> {
  // Two that search wait for each other in one order.
  const [which, lock] =
    tenant === undefined ? ["", " for update skip locked"] : ["and tenant = ? order by key", " for update"];
  const found = yield* rows<Indexed & Pick<ConversationRow, "nodes">>(
    `select key, tenant, dialect, indexed, nodes from precis_conversations where indexed < nodes
     ${which} limit ${CONVERSATIONS_AT_ONCE}${engine.lockRows ? lock : ""}`,
    ...(tenant === undefined ? [] : [tenant]),
  );
  const left = { messages: most, bytes: BYTES_AT_ONCE };
  for (const [index, { key, tenant: of, dialect, indexed: from, nodes: end }] of found.entries()) {
    const to = yield* endOfStep(key, from, Math.min(end, from + left.messages), left);
    if (to === from) return true;
    const { documents, totals } = documentsOf(dialect, yield* textsOf(key, from, to));
    const tenantNumber = yield* numberOf(of);
    for (const { number: document, keys } of documents)
      yield engine.textIndex.add(
        document,
        keys.map((term) => tokenOf(tenantNumber, term)),
      );
    yield* count(engine, "precis_recall_conversations", key, totals);
    yield* count(engine, "precis_recall_tenants", tenantNumber, totals);
    const newest = documents.at(-1)?.number ?? 0;
    yield* rows(
      `update precis_recall_tenants set newest = ?, oldest = case when oldest = 0 then ? else oldest end
       where number = ? and newest < ?`,
      newest,
      documents[0]?.number ?? 0,
      tenantNumber,
      newest,
    );
    yield* rows("update precis_conversations set indexed = ? where key = ?", to, key);
    left.messages -= to - from;
    if (to < end || (left.messages === 0 && index < found.length - 1)) return true;
  }
  return found.length === CONVERSATIONS_AT_ONCE;
}

/** How far the bytes reach that are left; at least one message is taken with all of them. */
export function* endOfStep(
  key: number,
  from: number,
  to: number,
  left = { bytes: BYTES_AT_ONCE },
): Script<number> {
  const sizes = yield* rows<{ readonly size: number }>(
    `select octet_length(coalesce(n.wire, b.wire)) as size from ${NODES_WITH_TEXT} order by n.id`,
    nodeId(key, from),
    nodeId(key, to),
  );
  let end = from;
  for (const { size } of sizes) {
    if (size > left.bytes && left.bytes < BYTES_AT_ONCE) break;
    left.bytes -= size;
    end++;
  }
  return end;
}

/** Takes messages of a conversation out of the index, before they are deleted. */
export function* forgetMessages(
  engine: IndexEngine,
  { tenant, key, dialect }: Omit<Indexed, "indexed">,
  [from, to]: readonly [from: number, to: number],
): Script<void> {
  if (from >= to) return;
  const tenantNumber = yield* numberOf(tenant);
  const { documents, totals } = documentsOf(dialect, yield* textsOf(key, from, to));
  for (const { number: document, keys } of documents)
    yield engine.textIndex.remove(
      document,
      keys.map((term) => tokenOf(tenantNumber, term)),
    );
  yield* count(engine, "precis_recall_tenants", tenantNumber, totals, -1);
}

const NODES_WITH_TEXT =
  "precis_nodes n left join precis_bodies b on b.hash = n.body where n.id >= ? and n.id < ?";

function* textsOf(key: number, from: number, to: number): Script<readonly StoredText[]> {
  return yield* rows<StoredText>(
    `select n.id, coalesce(n.wire, b.wire) as wire from ${NODES_WITH_TEXT} order by n.id`,
    nodeId(key, from),
    nodeId(key, to),
  );
}

/** The number of a tenant in the index, made if there is none. */
function* numberOf(tenant: string): Script<number> {
  const known = yield* knownTenant(tenant);
  if (known !== undefined) return known.number;
  yield* rows(
    "insert into precis_recall_tenants (tenant, totals, oldest, newest) values (?, ?, 0, 0) on conflict do nothing",
    tenant,
    JSON.stringify(NO_TOTALS),
  );
  return (yield* knownTenant(tenant))!.number;
}

/** What the index knows of a tenant. */
export interface Known {
  readonly number: number;
  readonly totals: Totals;
  /** Its first and its newest document. */
  readonly oldest: number;
  readonly newest: number;
}

export function* knownTenant(tenant: string): Script<Known | undefined> {
  const found = yield* firstRow<Omit<Known, "totals"> & { readonly totals: string }>(
    "select number, totals, oldest, newest from precis_recall_tenants where tenant = ?",
    tenant,
  );
  return found && { ...found, totals: JSON.parse(found.totals) as Totals };
}

/** Numbers of what is indexed of a conversation, given its key. */
export function* knownTotals(key: number): Script<Totals | undefined> {
  const [found] = yield* rows<{ readonly totals: string }>(
    "select totals from precis_recall_conversations where number = ?",
    key,
  );
  return found && (JSON.parse(found.totals) as Totals);
}

/** Counts what came or went, for a conversation or for its tenant. */
function* count(
  { lockRows }: IndexEngine,
  table: "precis_recall_conversations" | "precis_recall_tenants",
  number: number,
  totals: Totals,
  sign: 1 | -1 = 1,
): Script<void> {
  const row = yield* firstRow<{ totals: string }>(
    `select totals from ${table} where number = ?${lockRows ? " for update" : ""}`,
    number,
  );
  const after = JSON.stringify(addTotals(row ? (JSON.parse(row.totals) as Totals) : NO_TOTALS, totals, sign));
  if (row) yield* rows(`update ${table} set totals = ? where number = ?`, after, number);
  else yield* rows(`insert into ${table} (number, totals) values (?, ?)`, number, after);
}

/** Documents of the index: the passages of messages. Their numbers say where they stand: the message's node, the passage in it. */
const PASSAGES = 2 ** 8;

/** The documents that a conversation can have, given its key. */
export function rangeOf(key: number): readonly [from: number, to: number] {
  const [from, to] = nodesOf(key);
  return [from * PASSAGES, to * PASSAGES - 1];
}

/** The conversation's key of a document, in SQL. */
export const keyOfDocument = (doc: string): string => keyOfNode(`${doc} / ${PASSAGES}`);

/** The node of the message that a document is of. */
export function nodeOf(document: number): number {
  return Math.floor(document / PASSAGES);
}

/** Numbers by kind of passage, of a conversation or of a tenant. */
export interface Totals {
  readonly messages: ByKind;
  readonly passages: ByKind;
  readonly terms: ByKind;
}

export const NO_TOTALS: Totals = {
  messages: { user: 0, assistant: 0, data: 0 },
  passages: { user: 0, assistant: 0, data: 0 },
  terms: { user: 0, assistant: 0, data: 0 },
};

function addTotals(one: Totals, other: Totals, sign: 1 | -1 = 1): Totals {
  const add = (a: ByKind, b: ByKind): ByKind => ({
    user: a.user + sign * b.user,
    assistant: a.assistant + sign * b.assistant,
    data: a.data + sign * b.data,
  });
  return {
    messages: add(one.messages, other.messages),
    passages: add(one.passages, other.passages),
    terms: add(one.terms, other.terms),
  };
}

/** A term with the kind of passage that it stands in, so that each kind can be counted. */
export function keyOf(kind: Kind, term: string): string {
  return `${kind[0]}-${term.replace(SEPARATORS, "_")}`;
}

/** What the index would take for the end of a term. Characters that look alike to it may count as one. */
const SEPARATORS = /[^a-z0-9\-./~@$_\u0080-\uffff]/g;

/** Tenants never meet in the index: each has terms of its own. */
export function tokenOf(tenant: number, key: string): string {
  return `${tenant.toString(36)}-${key}`;
}

interface StoredText {
  /** The message's node. */
  readonly id: number;
  readonly wire: string;
}

/** What messages add to the index. */
interface Documents {
  readonly documents: readonly { readonly number: number; readonly keys: readonly string[] }[];
  readonly totals: Totals;
}

function documentsOf(dialectId: string | null, messages: readonly StoredText[]): Documents {
  const dialect = dialectById(dialectId ?? "openai-chat");
  const documents: { number: number; keys: string[] }[] = [];
  let totals = NO_TOTALS;
  for (const { id, wire } of messages) {
    const message = readWire(dialect, wire);
    if (!message) continue;
    const read = readMessage(message);
    const start = id * PASSAGES;
    const own = {
      messages: { ...NO_TOTALS.messages },
      passages: { ...NO_TOTALS.messages },
      terms: { ...NO_TOTALS.messages },
    };
    own.messages[read.message.kind] = 1;
    for (const [index, { passage, counts }] of read.passages.entries()) {
      const keys = [...new Set([...counts.keys()].map((term) => keyOf(passage.kind, term)))];
      // The last ones of a very long message share a number.
      documents.push({ number: start + Math.min(index, PASSAGES - 1), keys });
      own.passages[passage.kind]++;
      own.terms[passage.kind] += passage.terms;
    }
    totals = addTotals(totals, own);
  }
  return { documents, totals };
}

/** A stored message; undefined for what its dialect can't read, which nobody can search. */
export function readWire(dialect: Dialect<unknown>, wire: string): Message | undefined {
  try {
    return dialect.read(parseExact(wire));
  } catch {
    return undefined;
  }
}
