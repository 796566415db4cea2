import type {
  Conversation,
  ConversationPage,
  ConversationStore,
  FoundConversation,
  ListQuery,
} from "../server-store.ts";
import { checkName } from "../shared/check-name.ts";
import type { ConversationRow } from "../shared/columns.ts";
import { HOLDERS, NEWEST_HASHES, PAGE, pageSize } from "../shared/limits.ts";
import { readCursor, writeCursor } from "../shared/list-cursor.ts";
import { conversationNotFound } from "../shared/not-found.ts";
import { changedColumns, conversationOf } from "../shared/rows.ts";
import { append } from "./append.ts";
import { changeConversation } from "./carry-out.ts";
import { deleteConversation, forksOf } from "./delete-conversation.ts";
import { holdConversation } from "./hold-conversation.ts";
import { readMessages } from "./read-messages.ts";
import { allOf, firstRow, rows, type Script } from "./script.ts";
import type { SqlContext } from "./sql-context.ts";
import type { SqlEngine } from "./sql-engine.ts";

export function sqlConversations(context: SqlContext): ConversationStore {
  const { engine, now, read, write } = context;
  return {
    append(tenant, input) {
      const call = { tenant, input, id: context.newId() };
      return context.append(call, () => append(engine, call));
    },

    find: (tenant, hashes, { session, prefer } = {}) =>
      read("find", function* () {
        const found = yield* longestMatch(engine, tenant, hashes, { session });
        if (prefer !== "unnamed" || !found?.conversation.named) return found;
        const unnamed = { hash: hashes[found.matched - 1]! };
        return (yield* longestMatch(engine, tenant, hashes, { session, unnamed })) ?? found;
      }),

    holding: (tenant, hash) =>
      read("holding", function* () {
        const found = yield* rows<ConversationRow>(
          `select * from precis_conversations where tenant = ? and id in (
             select conversation from precis_messages where tenant = ? and hash = ?
           ) order by updated_at desc, id desc limit ${HOLDERS}`,
          tenant,
          tenant,
          hash,
        );
        return found.map(conversationOf);
      }),

    findSession: (tenant, session) =>
      read("findSession", function* () {
        const row = yield* firstRow<ConversationRow>(
          "select * from precis_conversations where tenant = ? and session = ? order by updated_at desc, created_at desc, id desc limit 1",
          tenant,
          session,
        );
        return row && conversationOf(row);
      }),

    findAnswer: (tenant, answer) =>
      read("findAnswer", function* () {
        const row = yield* firstRow<ConversationRow & { readonly position: number | string }>(
          `select c.*, m.position from precis_messages m
           join precis_conversations c on c.tenant = m.tenant and c.id = m.conversation
           where m.tenant = ? and m.answer = ?
           order by case when c.length = m.position + 1 then 0 else 1 end,
             c.updated_at desc, c.created_at desc, c.id desc, m.position desc
           limit 1`,
          tenant,
          answer,
        );
        return row && { conversation: conversationOf(row), length: Number(row.position) + 1 };
      }),

    get: (tenant, id) => read("get", () => get(tenant, id)),

    meta: (tenant, id) => read("meta", () => metaOf(tenant, id)),

    head: (tenant, id) =>
      read("head", function* () {
        const row = yield* firstRow<{ readonly wire: string }>(
          `select b.wire from precis_conversations c
           join precis_bodies b on b.tenant = c.tenant and b.hash = c.head
           where c.tenant = ? and c.id = ?`,
          tenant,
          id,
        );
        return row?.wire;
      }),

    read: (tenant, id, range = {}) => read("read", () => readMessages(tenant, id, range)),

    list: (tenant, query = {}) => read("list", () => list(tenant, query)),

    update: (tenant, id, changes) =>
      write("update", function* () {
        yield* holdConversation(engine, tenant, id, "for update");
        const found = yield* get(tenant, id);
        if (!found) throw conversationNotFound("update", id);
        const wanted = typeof changes === "function" ? changes(found) : changes;
        yield* changeConversation(tenant, id, changedColumns(wanted));
        const updated = yield* get(tenant, id);
        if (!updated) throw conversationNotFound("update", id);
        return updated;
      }),

    async delete(tenant, id, { forks = false } = {}) {
      checkName("delete", "tenant", tenant);
      const deleted = await write("delete", function* () {
        const ids = forks ? yield* forksOf(tenant, id) : [id];
        let found = false;
        for (const one of ids) found = (yield* deleteConversation(engine, tenant, one, now())) || found;
        return found;
      });
      if (deleted) await context.run("delete", async () => engine.scrub?.());
      return deleted;
    },
  };
}

function* metaOf(tenant: string, id: string): Script<unknown> {
  const row = yield* firstRow<Pick<ConversationRow, "meta">>(
    "select meta from precis_conversations where tenant = ? and id = ?",
    tenant,
    id,
  );
  return row?.meta ? (JSON.parse(row.meta) as unknown) : undefined;
}

function* get(tenant: string, id: string): Script<Conversation | undefined> {
  const row = yield* firstRow<ConversationRow>(
    "select * from precis_conversations where tenant = ? and id = ?",
    tenant,
    id,
  );
  return row && conversationOf(row);
}

interface MatchQuery {
  readonly session: string | undefined;
  /** Only conversations that nobody asked for by name, and that hold this message or end where they match. */
  readonly unnamed?: { readonly hash: string };
}

/** The newest hashes first: a client that goes on ends where its conversation does. */
function* longestMatch(
  engine: SqlEngine,
  tenant: string,
  hashes: readonly string[],
  of: MatchQuery,
): Script<FoundConversation | undefined> {
  // Each hash names everything before it: where the first message isn't, none of the others is. In a database in this
  // process one question more costs next to nothing, and most of those who are asked about are new.
  if (engine.direct && !(yield* isThere(tenant, hashes[0]))) return undefined;
  for (const part of [hashes.slice(-NEWEST_HASHES), hashes.slice(0, -NEWEST_HASHES)]) {
    if (part.length === 0) continue;
    const [row] = yield* matches(engine, tenant, part, of);
    // By its place in the request: a client may leave out messages that the conversation holds.
    if (row) return { conversation: conversationOf(row), matched: hashes.indexOf(row.matched) + 1 };
  }
  return undefined;
}

function* isThere(tenant: string, hash: string | undefined): Script<boolean> {
  if (hash === undefined) return false;
  const found = yield* rows(
    "select 1 from precis_messages where tenant = ? and hash = ? limit 1",
    tenant,
    hash,
  );
  return found.length > 0;
}

/** Of several conversations with the same messages: one that ends there rather than one that went on otherwise. */
function matches(
  { rowsOf }: SqlEngine,
  tenant: string,
  hashes: readonly string[],
  { session, unnamed }: MatchQuery,
): Script<readonly (ConversationRow & { readonly matched: string })[]> {
  const isOfSession = session === undefined ? "" : "and c.session = ?";
  const isUnnamed = unnamed ? "and c.named = 0 and (m.hash = ? or c.length = m.position + 1)" : "";
  return rows(
    `select c.*, m.hash as matched
     from (select precis_messages.conversation, precis_messages.position, precis_messages.hash from ${rowsOf.from("precis_messages", "hash")}) m
     join precis_conversations c on c.tenant = ? and c.id = m.conversation ${isOfSession} ${isUnnamed}
     order by m.position desc, case when c.length = m.position + 1 then 0 else 1 end, c.updated_at desc, c.id desc
     limit 1`,
    rowsOf.value(hashes),
    tenant,
    tenant,
    ...(session === undefined ? [] : [session]),
    ...(unnamed ? [unnamed.hash] : []),
  );
}

function* list(
  tenant: string,
  { search, session, archived = "hide", limit, cursor }: ListQuery,
): Script<ConversationPage> {
  const size = pageSize(limit, PAGE);
  const after = cursor === undefined ? undefined : readCursor(cursor);
  const { where, values } = allOf(
    ["tenant = ?", tenant],
    ["archived = ?", archived === "all" ? undefined : archived === "only" ? 1 : 0],
    ["session = ?", session],
    ["title_search like ? escape '\\'", search ? `%${likeText(search)}%` : undefined],
    ["(pinned, updated_at, id) < (?, ?, ?)", after?.pinned, after?.updatedAt, after?.id],
  );
  const found = yield* rows<ConversationRow>(
    `select * from precis_conversations where ${where} order by pinned desc, updated_at desc, id desc limit ?`,
    ...values,
    size + 1,
  );
  const conversations = found.slice(0, size).map(conversationOf);
  const last = conversations.at(-1);
  return {
    conversations,
    next:
      found.length > size && last
        ? writeCursor({ pinned: last.pinned ? 1 : 0, updatedAt: last.updatedAt, id: last.id })
        : undefined,
  };
}

/** What a person typed, with the signs that have a meaning in `like` made plain. */
function likeText(search: string): string {
  return search.toLowerCase().replace(/[\\%_]/g, "\\$&");
}
