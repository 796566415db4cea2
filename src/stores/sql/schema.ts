import { StoreError } from "../../core/errors.ts";
import { KEY_COLUMNS } from "./client-keys.ts";
import { CONVERSATION_COLUMNS } from "./conversation-row.ts";
import { createRequestTables } from "./requests.ts";
import { definitionsOf, firstRow, rows, type Script } from "./script.ts";
import type { SqlEngine } from "./sql-engine.ts";
import { INDEXED_HASH, NODE_COLUMNS } from "./tree.ts";

/** Stands in every database that was made with the tables below. Whoever changes them raises it. */
export const SCHEMA_VERSION = 11;

/**
 * The tables, the same on every database. Times are milliseconds, flags are 0 or 1, JSON is text. A conversation is a tree: a
 * node is a message, and its id says which conversation it belongs to (`tree.ts`), so that all of one lie together.
 */
function* createTables({ kind }: Pick<SqlEngine, "kind">): Script<void> {
  const isPostgres = kind === "postgres";
  if (isPostgres) yield* rows("create sequence precis_conversation_keys");
  else yield* rows("insert into precis_meta (key, value) values (?, 1)", NEXT_KEY);

  // Long texts and heads, each once per tenant. One with a `base` is what stands between the beginning and the end of that.
  yield* rows(`create table precis_bodies (
    hash text not null primary key,
    tenant text not null,
    base text references precis_bodies (hash),
    prefix bigint not null,
    suffix bigint not null,
    loose bigint not null,
    wire text not null
  )`);
  yield* rows("create index precis_bodies_by_base on precis_bodies (base) where base is not null");
  yield* rows("create index precis_bodies_by_loose on precis_bodies (loose) where loose > 0");

  yield* rows(
    `create table precis_conversations (${definitionsOf(CONVERSATION_COLUMNS, kind)}, unique (tenant, id))`,
  );
  yield* rows(
    "create index precis_conversations_by_session on precis_conversations (tenant, session) where session is not null",
  );
  yield* rows(
    "create index precis_conversations_by_list on precis_conversations (tenant, pinned, updated_at, id)",
  );
  yield* rows(
    "create index precis_conversations_by_end on precis_conversations (expires_at) where expires_at is not null",
  );
  yield* rows(
    "create index precis_conversations_by_unindexed on precis_conversations (tenant, key) where indexed < nodes",
  );

  // What was deleted, as long as some of its messages are still there; nobody finds them without their conversation.
  yield* rows(`create table precis_deleted (
    key bigint not null primary key,
    tenant text not null,
    dialect text,
    nodes bigint not null,
    indexed bigint not null,
    gone bigint not null
  )`);

  yield* rows(`create table precis_nodes (${definitionsOf(NODE_COLUMNS, kind)})`);
  yield* rows(
    `create index precis_nodes_by_hash on precis_nodes (${INDEXED_HASH}${isPostgres ? ", id" : ""})`,
  );
  yield* rows("create index precis_nodes_by_body on precis_nodes (body) where body is not null");
  yield* rows("create index precis_nodes_by_answer on precis_nodes (answer) where answer is not null");

  // Checkpoints, summaries, undos, quotations, sizes of answers: gone with their message. Those without one are a library's own.
  yield* rows(`create table precis_records (
    tenant text not null,
    kind text not null,
    key text not null,
    hash text not null,
    node bigint references precis_nodes (id) on delete cascade,
    saved_at bigint not null,
    json text not null
  )`);
  yield* rows("create index precis_records_by_key on precis_records (tenant, kind, key)");
  yield* rows("create index precis_records_by_hash on precis_records (hash)");
  yield* rows("create index precis_records_by_node on precis_records (node) where node is not null");

  yield* createRequestTables({ kind });
  yield* besideTables(kind);
  yield* recallTables(isPostgres);
}

function* besideTables(kind: SqlEngine["kind"]): Script<void> {
  // One row per tenant that has requests: the newest one that is summed up.
  yield* rows(
    "create table precis_tenants (tenant text not null primary key, summed text not null default '')",
  );
  yield* rows(`create table precis_leases (
    tenant text not null,
    name text not null,
    owner text not null,
    expires_at bigint not null,
    fence bigint not null,
    primary key (tenant, name)
  )`);
  yield* rows(
    `create table precis_client_keys (${definitionsOf(KEY_COLUMNS, kind)}, primary key (tenant, id))`,
  );
  // What was learned of the models behind upstreams.
  yield* rows(`create table precis_learned (
    tenant text not null,
    upstream text not null,
    model text not null,
    kind text not null,
    at bigint not null,
    json text not null,
    primary key (tenant, upstream, model, kind)
  )`);
  yield* rows("create index precis_learned_by_at on precis_learned (at)");
  yield* rows(`create table precis_streams (
    tenant text not null,
    id text not null,
    lines bigint not null,
    used_at bigint not null,
    primary key (tenant, id)
  )`);
  yield* rows(`create table precis_stream_lines (
    tenant text not null,
    stream text not null,
    number bigint not null,
    line text not null,
    primary key (tenant, stream, number),
    foreign key (tenant, stream) references precis_streams (tenant, id) on delete cascade
  )`);
  // Settings of all chats of a tenant.
  yield* rows("create table precis_settings (tenant text not null primary key, json text not null)");
}

/** The index of the words of all messages. */
function* recallTables(isPostgres: boolean): Script<void> {
  const number = isPostgres
    ? "bigint generated by default as identity primary key"
    : "integer primary key autoincrement";
  yield* rows(`create table precis_recall_tenants (
    number ${number}, tenant text not null unique, totals text not null,
    oldest bigint not null, newest bigint not null)`);
  yield* rows(
    "create table precis_recall_conversations (number bigint not null primary key, totals text not null)",
  );
  if (isPostgres) {
    yield* rows("create table precis_recall (doc bigint primary key, tokens text[] not null)");
    yield* rows("create index precis_recall_by_token on precis_recall using gin (tokens)");
    return;
  }
  // Only the index: the texts stand with their messages. Terms come as they are, so nothing but blanks may divide them.
  yield* rows(`create virtual table precis_recall using fts5(tokens, content='', detail=none, columnsize=0,
    tokenize="ascii tokenchars '-./~@$_'")`);
  // What is deleted is gone from the index at once, not at some later merge.
  yield* rows("insert into precis_recall (precis_recall, rank) values ('secure-delete', 1)");
}

/** Name of the lock that keeps two nodes from making the tables at once. */
const SCHEMA_LOCK = "precis/schema";
const VERSION_KEY = "schema";
/** Where a database without sequences keeps the first key that no conversation may have yet. */
export const NEXT_KEY = "next key";

/**
 * Opens a database, and makes its tables if there are none. Any number of nodes may start at once: one makes them, in one
 * transaction, and the others wait for it. A database of another version is refused and left as it is.
 */
export async function openSchema(engine: SqlEngine): Promise<void> {
  await engine.open();
  const version = await engine.read(readVersion()).catch((error: unknown) => {
    if (isMissingTable(error)) return engine.transact(makeTables(engine));
    throw error;
  });
  if (version === String(SCHEMA_VERSION)) return;
  throw new StoreError({
    operation: "open",
    message: `the database has schema version ${version ?? "unknown"}, this precis knows version ${SCHEMA_VERSION} alone.`,
    fix: "Use the precis that made it, or another database. This one was left as it is.",
  });
}

/** Says which version they have: another node may have made them meanwhile. */
function* makeTables(engine: SqlEngine): Script<string | undefined> {
  if (engine.lockName !== undefined) yield* rows(engine.lockName, SCHEMA_LOCK);
  yield* rows("create table if not exists precis_meta (key text not null primary key, value text not null)");
  const made = yield* readVersion();
  if (made !== undefined) return made;
  yield* createTables(engine);
  yield* rows("insert into precis_meta (key, value) values (?, ?)", VERSION_KEY, String(SCHEMA_VERSION));
  return yield* readVersion();
}

function* readVersion(): Script<string | undefined> {
  const row = yield* firstRow<{ readonly value: string }>(
    "select value from precis_meta where key = ?",
    VERSION_KEY,
  );
  return row?.value;
}

/** PostgreSQL's code, or SQLite's words. */
function isMissingTable(error: unknown): boolean {
  return (
    error instanceof Error &&
    (("code" in error && error.code === "42P01") || /no such table/.test(error.message))
  );
}
