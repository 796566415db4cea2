import { rows, type Script } from "../sql/script.ts";
import type { SqlEngine } from "../sql/sql-engine.ts";

/** Stands in every database that was made with the tables below. Whoever changes them raises it. */
export const SCHEMA_VERSION = 1;

/** All tables, in an empty database. Times are milliseconds, flags are 0 or 1, JSON is text. */
export function* createTables({ kind }: Pick<SqlEngine, "kind">): Script<void> {
  yield* conversations();
  yield* records();
  yield* beside();
  yield* recallIndex(kind);
}

function* conversations(): Script<void> {
  // The JSON of messages and heads: each once per tenant.
  yield* rows(`create table precis_bodies (
    tenant text not null,
    hash text not null,
    wire text not null,
    constraint precis_bodies_pk primary key (tenant, hash)
  )`);

  yield* rows(`create table precis_conversations (
    tenant text not null,
    id text not null,
    session text,
    named smallint not null default 0,
    title text not null,
    title_search text not null,
    dialect text,
    model text,
    head text,
    length bigint not null,
    tokens bigint not null,
    created_at bigint not null,
    updated_at bigint not null,
    stored_at bigint,
    expires_at bigint,
    pinned smallint not null,
    archived smallint not null,
    indexed bigint not null default 0,
    fork_of text,
    fork_length bigint,
    meta text,
    constraint precis_conversations_pk primary key (tenant, id),
    constraint precis_conversations_head foreign key (tenant, head) references precis_bodies (tenant, hash)
  )`);
  yield* createIndex("precis_conversations", "session", ["tenant", "session", "updated_at"]);
  yield* createIndex("precis_conversations", "list", ["tenant", "pinned", "updated_at", "id"]);
  yield* createIndex("precis_conversations", "head", ["tenant", "head"]);
  // Few have these: the others cost nothing to write.
  yield* createIndex("precis_conversations", "fork", ["tenant", "fork_of"], "fork_of");
  yield* createIndex("precis_conversations", "expires", ["expires_at"], "expires_at");
  yield* createIndex("precis_conversations", "updated", ["updated_at"]);
  yield* rows(
    "create index precis_conversations_by_unindexed on precis_conversations (tenant, id) where indexed < length",
  );

  // The messages of a conversation by position; `hash` is the chain hash. Its text stands with it or is a body of its own; a body
  // that a message still needs can't be deleted, whatever two nodes do at once. The text is the last column, so that nobody reads it
  // who asks for the others.
  yield* rows(`create table precis_messages (
    tenant text not null,
    conversation text not null,
    position bigint not null,
    hash text not null,
    body text,
    role text not null,
    tokens bigint,
    at bigint not null,
    answer text,
    given text,
    wire text,
    constraint precis_messages_pk primary key (tenant, conversation, position),
    constraint precis_messages_conversation foreign key (tenant, conversation)
      references precis_conversations (tenant, id) on delete cascade,
    constraint precis_messages_body foreign key (tenant, body) references precis_bodies (tenant, hash),
    constraint precis_messages_text check ((body is null) <> (wire is null))
  )`);
  yield* createIndex("precis_messages", "hash", ["tenant", "hash"]);
  yield* createIndex("precis_messages", "answer", ["tenant", "answer"], "answer");
  yield* createIndex("precis_messages", "body", ["tenant", "body"], "body");
}

function* records(): Script<void> {
  for (const [table, key] of [
    ["precis_checkpoints", "id"],
    ["precis_summaries", "key"],
  ] as const) {
    yield* rows(`create table ${table} (
      tenant text not null,
      ${key} text not null,
      hash text not null,
      saved_at bigint not null,
      json text not null,
      constraint ${table}_pk primary key (tenant, ${key})
    )`);
    yield* createIndex(table, "hash", ["tenant", "hash"]);
    yield* createIndex(table, "saved", ["saved_at"]);
  }
  yield* rows(`create table precis_undos (
    tenant text not null,
    checkpoint text not null,
    saved_at bigint not null,
    json text not null,
    constraint precis_undos_pk primary key (tenant, checkpoint)
  )`);
  // What answers of a model in a conversation took, by the hash of the conversation's first message.
  yield* rows(`create table precis_answers (
    tenant text not null,
    hash text not null,
    model text not null,
    saved_at bigint not null,
    json text not null,
    constraint precis_answers_pk primary key (tenant, hash, model)
  )`);
  // What views quote for user messages, by checkpoint and message.
  yield* rows(`create table precis_recalled (
    tenant text not null,
    hash text not null,
    checkpoint text not null,
    saved_at bigint not null,
    json text not null,
    constraint precis_recalled_pk primary key (tenant, hash, checkpoint)
  )`);
  // Chain hashes of deleted conversations: a summary that was under way meanwhile must not come back.
  yield* rows(`create table precis_tombstones (
    tenant text not null,
    hash text not null,
    at bigint not null,
    constraint precis_tombstones_pk primary key (tenant, hash)
  )`);
}

function* beside(): Script<void> {
  // One row per tenant that has events: the counter of their ids.
  yield* rows("create table precis_tenants (tenant text not null primary key, last_event bigint not null)");

  yield* rows(`create table precis_events (
    tenant text not null,
    id bigint not null,
    conversation text,
    type text not null,
    at bigint not null,
    data text not null,
    constraint precis_events_pk primary key (tenant, id),
    constraint precis_events_conversation foreign key (tenant, conversation)
      references precis_conversations (tenant, id) on delete cascade
  )`);
  yield* createIndex("precis_events", "conversation", ["tenant", "conversation", "id"]);
  yield* createIndex("precis_events", "at", ["at"]);

  // By the hash of the source: sources may be longer than an index takes.
  yield* rows(`create table precis_citations (
    tenant text not null,
    conversation text not null,
    number bigint not null,
    source_hash text not null,
    source text not null,
    title text,
    constraint precis_citations_pk primary key (tenant, conversation, number),
    constraint precis_citations_source unique (tenant, conversation, source_hash),
    constraint precis_citations_conversation foreign key (tenant, conversation)
      references precis_conversations (tenant, id) on delete cascade
  )`);

  yield* rows(`create table precis_leases (
    tenant text not null,
    name text not null,
    owner text not null,
    expires_at bigint not null,
    fence bigint not null,
    constraint precis_leases_pk primary key (tenant, name)
  )`);

  yield* rows(`create table precis_client_keys (
    tenant text not null,
    id text not null,
    hash text not null unique,
    name text not null,
    limits text not null,
    created_at bigint not null,
    expires_at bigint,
    revoked_at bigint,
    last_used_at bigint,
    constraint precis_client_keys_pk primary key (tenant, id)
  )`);
}

/** An index of the words of all messages. */
function* recallIndex(kind: SqlEngine["kind"]): Script<void> {
  const number =
    kind === "postgres"
      ? "bigint generated by default as identity primary key"
      : "integer primary key autoincrement";
  yield* rows(`create table precis_recall_tenants (
    number ${number}, tenant text not null unique, totals text not null,
    oldest bigint not null, newest bigint not null)`);
  yield* rows(`create table precis_recall_conversations (
    number ${number}, tenant text not null, conversation text not null, totals text not null,
    unique (tenant, conversation))`);
  if (kind === "postgres") {
    yield* rows("create table precis_recall (doc bigint primary key, tokens text[] not null)");
    yield* rows("create index precis_recall_by_token on precis_recall using gin (tokens)");
  } else {
    // Only the index: the texts stand with their messages. Terms come as they are, so nothing but blanks may divide them.
    yield* rows(`create virtual table precis_recall using fts5(tokens, content='', detail=none, columnsize=0,
      tokenize="ascii tokenchars '-./~@$_'")`);
    // What is deleted is gone from the index at once, not at some later merge.
    yield* rows("insert into precis_recall (precis_recall, rank) values ('secure-delete', 1)");
  }
}

/** An index; with `present`, only of rows that have a value there: the others cost nothing to write. */
function* createIndex(
  table: string,
  name: string,
  columns: readonly string[],
  present?: string,
): Script<void> {
  const some = present === undefined ? "" : ` where ${present} is not null`;
  yield* rows(`create index ${table}_by_${name} on ${table} (${columns.join(", ")})${some}`);
}
