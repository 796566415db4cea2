import { rows, type Script } from "../sql/script.ts";
import { createIndex } from "./create-index.ts";
import type { Migration } from "./index.ts";

/** The first schema, the same on every database. Times are milliseconds, flags are 0 or 1, JSON is text. */
export const initial: Migration = {
  name: "0001-initial",
  *up() {
    yield* conversations();
    yield* records();
    yield* beside();
  },
};

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
    title text not null,
    title_search text not null,
    dialect text,
    model text,
    head text,
    length bigint not null,
    tokens bigint not null,
    created_at bigint not null,
    updated_at bigint not null,
    expires_at bigint,
    pinned smallint not null,
    archived smallint not null,
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

  // The messages of a conversation by position; `hash` is the chain hash. A body that a message still needs can't be
  // deleted, whatever two nodes do at once.
  yield* rows(`create table precis_messages (
    tenant text not null,
    conversation text not null,
    position bigint not null,
    hash text not null,
    body text not null,
    role text not null,
    tokens bigint,
    at bigint not null,
    constraint precis_messages_pk primary key (tenant, conversation, position),
    constraint precis_messages_conversation foreign key (tenant, conversation)
      references precis_conversations (tenant, id) on delete cascade,
    constraint precis_messages_body foreign key (tenant, body) references precis_bodies (tenant, hash)
  )`);
  yield* createIndex("precis_messages", "hash", ["tenant", "hash"]);
  yield* createIndex("precis_messages", "body", ["tenant", "body"]);
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
