import { append } from "../../sql/append.ts";
import { bodyHash } from "../../sql/body-hash.ts";
import { DELETE_BODY } from "../../sql/delete-bodies.ts";
import { standsWithMessage } from "../../sql/place-text.ts";
import { rows, type Script } from "../../sql/script.ts";
import type { AppendCall } from "../../sql/sql-engine.ts";
import {
  COLUMNS,
  CONVERSATION_VALUES,
  type ConversationRow,
  changesOf,
  INTO_CONVERSATIONS,
  newRow,
  roundedTimes,
  tokensIn,
  updateConversation,
  valuesOf,
} from "../../sql/write-conversation.ts";
import { insertInto, insertRows } from "./insert-rows.ts";
import { callOf, type ReadRecord } from "./journal-record.ts";

/** A conversation as it is after the records so far. */
interface Grown {
  readonly row: ConversationRow;
  /** As it is in the database; undefined for a new one. */
  readonly stored: ConversationRow | undefined;
  /** Chain hash of its last message. */
  newest: string | undefined;
}

type MessageRow = readonly [
  tenant: string,
  conversation: string,
  position: number,
  hash: string,
  body: string | null,
  role: string,
  tokens: number | null,
  at: number,
  answer: string | null,
  wire: Buffer | null,
];

/** What is still to be written of the records that were looked at. */
interface Collected {
  /** By tenant and id. */
  readonly conversations: Map<string, Grown>;
  readonly messages: MessageRow[];
  /** By tenant and hash. */
  readonly bodies: Map<string, readonly [tenant: string, hash: string, wire: Buffer]>;
  readonly oldHeads: (readonly [tenant: string, hash: string])[];
  /** The newest head: the next conversation mostly has the same. */
  head: { readonly tenant: string; readonly hash: string; readonly wire: Buffer } | undefined;
}

/**
 * Many appends in few passes over the tables, in the order of their keys, which is several times cheaper than one after
 * the other. The outcome is the same. Records that aren't simply the next messages of their conversation (another process
 * wrote to it meanwhile) go the long way.
 */
export function* appendAll(records: readonly ReadRecord[]): Script<void> {
  let collected = nothing();
  for (const record of records) {
    const grown = begun(collected, record) ?? (yield* targetOf(collected, record));
    if (grown) collect(collected, grown, record);
    else {
      yield* write(collected);
      collected = nothing();
      yield* appendAlone(callOf(record));
    }
  }
  yield* write(collected);
}

function nothing(): Collected {
  return { conversations: new Map(), messages: [], bodies: new Map(), oldHeads: [], head: undefined };
}

/** The conversation that a record begins, if it does. */
function begun({ conversations }: Collected, record: ReadRecord): Grown | undefined {
  const { tenant, id, facts, title, position } = record;
  if (facts.conversation !== undefined || facts.after !== undefined || position !== 0) return undefined;
  const said = { ...roundedTimes(facts), title: title?.toString() };
  const nothing = { origin: undefined, position: 0, head: undefined, length: 0, tokens: 0 };
  const row = newRow({ newId: () => id }, tenant, said, nothing);
  const grown = { row, stored: undefined, newest: undefined };
  conversations.set(keyOf(tenant, id), grown);
  return grown;
}

/** The conversation that a record goes on with. Undefined if it doesn't end where the record begins. */
function* targetOf(
  { conversations }: Collected,
  { tenant, facts, position }: ReadRecord,
): Script<Grown | undefined> {
  if (facts.conversation === undefined) return undefined;
  const key = keyOf(tenant, facts.conversation);
  const grown = conversations.get(key) ?? (yield* storedAs(tenant, facts.conversation));
  if (!grown || grown.row.length !== position || grown.newest !== facts.after) return undefined;
  conversations.set(key, grown);
  return grown;
}

function* storedAs(tenant: string, id: string): Script<Grown | undefined> {
  const [row] = yield* rows<ConversationRow>(
    "select * from precis_conversations where tenant = ? and id = ?",
    tenant,
    id,
  );
  if (!row) return undefined;
  const [last] = yield* rows<{ hash: string }>(
    "select hash from precis_messages where tenant = ? and conversation = ? and position = ?",
    tenant,
    id,
    row.length - 1,
  );
  return { row: { ...row }, stored: row, newest: last?.hash };
}

function collect(collected: Collected, grown: Grown, record: ReadRecord): void {
  const { tenant, messages, wires } = record;
  const facts = roundedTimes(record.facts);
  const { id } = grown.row;
  let { length } = grown.row;
  let index = 0;
  for (const { hash, role, tokens, at, answer = null } of messages) {
    const wire = wires[index++]!;
    const isWithIt = standsWithMessage(wire.length, messages.length);
    const body = isWithIt ? null : addBody(collected, tenant, wire);
    const counted = tokens === undefined ? null : Math.round(tokens);
    const text = isWithIt ? wire : null;
    collected.messages.push([tenant, id, length++, hash, body, role, counted, Math.round(at), answer, text]);
    grown.newest = hash;
  }
  const before = grown.row.head;
  const head = record.head && addHead(collected, tenant, record.head);
  const tokens = tokensIn(messages);
  const isGrown = messages.length > 0;
  if (facts.conversation === undefined) {
    // It begins here, and was made of the same facts.
    grown.row.length = length;
    grown.row.tokens = tokens;
    grown.row.head = head ?? null;
  } else Object.assign(grown.row, changesOf(grown.row, facts, { head, length, tokens, isGrown }));
  if (before !== null && before !== grown.row.head) collected.oldHeads.push([tenant, before]);
}

function addHead(collected: Collected, tenant: string, wire: Buffer): string {
  const { head } = collected;
  if (head?.tenant === tenant && head.wire.equals(wire)) return head.hash;
  const hash = addBody(collected, tenant, wire);
  collected.head = { tenant, hash, wire };
  return hash;
}

function addBody({ bodies }: Collected, tenant: string, wire: Buffer): string {
  const hash = bodyHash(wire);
  bodies.set(keyOf(tenant, hash), [tenant, hash, wire]);
  return hash;
}

function keyOf(tenant: string, name: string): string {
  return `${tenant}\0${name}`;
}

function* write({ conversations, messages, bodies, oldHeads }: Collected): Script<void> {
  for (const key of [...bodies.keys()].sort()) yield { sql: INSERT_BODY, parameters: bodies.get(key)! };
  const added: ReturnType<typeof valuesOf>[] = [];
  for (const { row, stored } of conversations.values()) {
    if (!stored) added.push(valuesOf(row));
    else yield* updateConversation(row, differences(stored, row));
  }
  yield* insertRows(INSERT_CONVERSATIONS, added);
  yield* insertRows(INSERT_MESSAGES, messages);
  yield* unbury(messages);
  for (const head of oldHeads) yield* rows(DELETE_BODY, ...head);
}

/** The text comes as its bytes, which is what SQLite keeps of it anyway. */
const INSERT_BODY =
  "insert into precis_bodies (tenant, hash, wire) values (?, ?, cast(? as text)) on conflict (tenant, hash) do nothing";
const INSERT_MESSAGES = insertInto(
  "precis_messages (tenant, conversation, position, hash, body, role, tokens, at, answer, wire)",
  "(?, ?, ?, ?, ?, ?, ?, ?, ?, cast(? as text))",
);
const INSERT_CONVERSATIONS = insertInto(INTO_CONVERSATIONS, CONVERSATION_VALUES);

function differences(before: ConversationRow, now: ConversationRow): Partial<ConversationRow> {
  return Object.fromEntries(
    COLUMNS.filter((column) => now[column] !== before[column]).map((column) => [column, now[column]]),
  );
}

/** What was deleted and is sent again is a conversation like any other. */
function* unbury(messages: readonly MessageRow[]): Script<void> {
  const [any] = yield* rows("select 1 from precis_tombstones limit 1");
  if (!any) return;
  for (const [tenant, , , hash] of messages)
    yield* rows("delete from precis_tombstones where tenant = ? and hash = ?", tenant, hash);
}

/** The long way: whatever became of the conversation meanwhile, the messages find a place. */
function* appendAlone({ tenant, id, input }: AppendCall): Script<void> {
  const context = { engine: {}, newId: () => id };
  const { conversation, after, ...rest } = input;
  const holders = after === undefined ? [] : yield* holdersOf(tenant, after);
  const holder = holders.find((one) => one === conversation) ?? holders[0];
  const place = holder === undefined ? { isNew: true as const } : { conversation: holder, after: after! };
  const isThere = after === undefined && conversation !== undefined && (yield* exists(tenant, conversation));
  yield* append(context, tenant, { ...rest, ...(isThere ? { conversation } : place) });
}

/** Conversations that hold a message, those first that end with it. */
function* holdersOf(tenant: string, hash: string): Script<string[]> {
  const found = yield* rows<{ id: string }>(
    `select c.id from precis_messages m join precis_conversations c on c.tenant = m.tenant and c.id = m.conversation
     where m.tenant = ? and m.hash = ?
     order by case when c.length = m.position + 1 then 0 else 1 end, c.updated_at desc, c.id desc`,
    tenant,
    hash,
  );
  return found.map((row) => row.id);
}

function* exists(tenant: string, id: string): Script<boolean> {
  const found = yield* rows("select id from precis_conversations where tenant = ? and id = ?", tenant, id);
  return found.length > 0;
}
