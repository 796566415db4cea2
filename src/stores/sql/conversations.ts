import type {
  Branch,
  Conversation,
  ConversationChanges,
  ConversationPage,
  ConversationStore,
  ListQuery,
  ReadRange,
  StoredMessage,
} from "../server-store.ts";
import { anchorNotFound, conversationNotFound } from "../shared/not-found.ts";
import { BRANCHES, PAGE, pageSize, readCursor, writeCursor } from "../shared/pages.ts";
import { checkName } from "../shared/texts.ts";
import { deleteUnused, loosen, readBody } from "./bodies.ts";
import {
  type ConversationRow,
  conversationOf,
  GOES_BY,
  rowOf,
  rowOfSession,
  titleColumns,
  wholeOrNull,
} from "./conversation-row.ts";
import { endOfStep, forgetMessages } from "./recall/index-messages.ts";
import { blankRequests } from "./requests.ts";
import { allOf, firstRow, putRow, rows, type Script } from "./script.ts";
import type { SqlContext } from "./sql-context.ts";
import type { SqlEngine } from "./sql-engine.ts";
import {
  branchesBehind,
  findMatch,
  keyOfNode,
  NEWEST_WITH,
  newestLeaf,
  nodeId,
  nodesOf,
  placeOf,
  readPath,
  siblingsOnPath,
} from "./tree.ts";

export function sqlConversations(context: SqlContext): ConversationStore {
  const { engine, read, write } = context;
  /** What a script makes of a conversation; undefined where there is none. */
  const of = <T>(operation: string, tenant: string, id: string, make: (row: ConversationRow) => Script<T>) =>
    read(operation, function* () {
      const row = yield* rowOf(tenant, id);
      return row && (yield* make(row));
    });
  return {
    append: (tenant, input) => context.append({ tenant, input, id: input.id ?? context.newId() }),

    find: (tenant, hashes, query = {}) => read("find", () => findMatch(engine, tenant, hashes, query)),

    behind: (tenant, hash) =>
      read("behind", function* () {
        const found = yield* rows<ConversationRow>(
          `select * from precis_conversations where tenant = ? and deleted_at is null and key in (
             select ${keyOfNode("id")} from ${NEWEST_WITH} as holding
           ) order by updated_at desc, id desc limit ${BRANCHES}`,
          tenant,
          hash,
          hash,
        );
        const branches: Branch[] = [];
        for (const row of found) {
          const place = yield* placeOf(row.key, hash);
          if (place) branches.push(...(yield* branchesBehind(row, place, BRANCHES - branches.length)));
        }
        return branches;
      }),

    findSession: (tenant, session) =>
      read("findSession", function* () {
        const row = yield* rowOfSession(tenant, session);
        return row && conversationOf(row);
      }),

    findAnswer: (tenant, answer) =>
      read("findAnswer", function* () {
        const row = yield* firstRow<ConversationRow & { readonly depth: number; readonly node: string }>(
          `select c.*, n.depth, n.hash as node from precis_nodes n join precis_conversations c on c.key = ${keyOfNode("n.id")}
           where n.id in (select id from precis_nodes where answer = ? union all
             select node from precis_records where tenant = ? and kind = 'answer' and key = ?)
             and c.tenant = ? and c.deleted_at is null
           order by case when c.leaf = n.id then 0 else 1 end, c.updated_at desc, n.id desc limit 1`,
          answer,
          tenant,
          answer,
          tenant,
        );
        return row && { conversation: conversationOf(row), length: row.depth, hash: row.node };
      }),

    get: (tenant, id) =>
      read("get", function* () {
        const row = yield* rowOf(tenant, id);
        return row && conversationOf(row);
      }),

    meta: (tenant, id) =>
      read("meta", function* () {
        const row = yield* firstRow<Pick<ConversationRow, "meta" | "deleted_at">>(
          "select meta, deleted_at from precis_conversations where tenant = ? and id = ?",
          tenant,
          id,
        );
        return (
          row && {
            meta: row.meta === null ? undefined : (JSON.parse(row.meta) as unknown),
            deletedAt: row.deleted_at ?? undefined,
          }
        );
      }),

    head: (tenant, id) =>
      of("head", tenant, id, function* ({ head }) {
        return head === null ? undefined : yield* readBody(head);
      }),

    read: async (tenant, id, range = {}) => (await of("read", tenant, id, (row) => pathOf(row, range))) ?? [],

    siblings: async (tenant, id) => (await of("siblings", tenant, id, siblingsOnPath)) ?? new Map(),

    list: (tenant, query = {}) => read("list", () => list(engine, tenant, query)),

    update: (tenant, id, changes) =>
      write("update", function* () {
        const row = yield* rowOf(tenant, id, engine.lockRows ? "for update" : "");
        if (!row) throw conversationNotFound("update", id);
        const wanted = typeof changes === "function" ? changes(conversationOf(row)) : changes;
        return conversationOf(yield* changed(row, wanted));
      }),

    async delete(tenant, id) {
      checkName("delete", "tenant", tenant);
      const key = await write("delete", () => hideConversation(engine, tenant, id));
      if (key === undefined) return false;
      while (await write("delete", () => removeMessages(engine, key)));
      await context.run("delete", async () => engine.scrub?.());
      return true;
    },
  };
}

/** Messages on the path to the leaf, or to another message. */
function* pathOf(row: ConversationRow, range: ReadRange): Script<StoredMessage[]> {
  if (range.leaf === undefined) return yield* readPath(row, range);
  const place = yield* placeOf(row.key, range.leaf);
  return place ? yield* readPath({ ...row, leaf: place.id, length: place.depth }, range) : [];
}

/** What a person changes. A value that can be missing is removed by `undefined`, of others that says nothing. */
function* changed(row: ConversationRow, changes: ConversationChanges): Script<ConversationRow> {
  const { title, pinned, archived, meta, leaf } = changes;
  const set: Partial<ConversationRow> = {
    ...(title !== undefined && titleColumns(title)),
    ...(pinned !== undefined && { pinned: pinned ? 1 : 0 }),
    ...(archived !== undefined && { archived: archived ? 1 : 0 }),
    ...("meta" in changes && { meta: meta === undefined ? null : JSON.stringify(meta) }),
    ...("expiresAt" in changes && { expires_at: wholeOrNull(changes.expiresAt) }),
    ...("deletedAt" in changes && { deleted_at: wholeOrNull(changes.deletedAt) }),
  };
  if (leaf !== undefined) {
    const place = yield* placeOf(row.key, leaf);
    if (!place) throw anchorNotFound(row.id);
    const end = yield* newestLeaf(row.key, place);
    Object.assign(set, { leaf: end.id, length: end.depth, tokens: end.total });
  }
  const names = Object.keys(set);
  if (names.length > 0)
    yield* rows(
      `update precis_conversations set ${names.map((name) => `${name} = ?`).join(", ")} where key = ?`,
      ...Object.values(set),
      row.key,
    );
  return { ...row, ...set };
}

function* list(
  { isOneOf, rowsOf }: Pick<SqlEngine, "isOneOf" | "rowsOf">,
  tenant: string,
  { ids, search, session, of, archived = "hide", limit, cursor }: ListQuery,
): Script<ConversationPage> {
  const size = pageSize(limit, PAGE);
  const after = cursor === undefined ? undefined : readCursor(cursor);
  const { where, values } = allOf(
    ["tenant = ? and deleted_at is null", tenant],
    [isOneOf("id"), ids && rowsOf.value(ids)],
    ["archived = ?", archived === "all" ? undefined : archived === "only" ? 1 : 0],
    [GOES_BY, session, session],
    ["case when client is null then 1 else 0 end = ?", of && (of === "person" ? 1 : 0)],
    ["title_search like ? escape '\\'", search ? `%${likeText(search)}%` : undefined],
    ["(pinned, updated_at, id) < (?, ?, ?)", after?.pinned, after?.updatedAt, after?.id],
  );
  const found = yield* rows<ConversationRow>(
    `select * from precis_conversations where ${where} order by pinned desc, updated_at desc, id desc limit ?`,
    ...values,
    size + 1,
  );
  const conversations: Conversation[] = found.slice(0, size).map(conversationOf);
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

/** A conversation that was deleted, and how many of its messages are gone. */
type DeletedRow = Pick<ConversationRow, "key" | "tenant" | "dialect" | "nodes" | "indexed"> & {
  readonly gone: number;
};

/**
 * Removes a conversation for every reader: with its records, and its words in the rows of its requests. Its messages, which nobody
 * finds without it, go afterwards (`removeMessages`). Returns its key; undefined when there is none.
 */
export function* hideConversation(engine: SqlEngine, tenant: string, id: string): Script<number | undefined> {
  const row = yield* rowOf(tenant, id, engine.lockRows ? "for update" : "");
  if (!row) return undefined;
  const { key, dialect, nodes, indexed } = row;
  const names = yield* blankRequests(key);
  yield* rows("delete from precis_records where node >= ? and node < ?", ...nodesOf(key));
  yield* rows("delete from precis_recall_conversations where number = ?", key);
  yield* rows("delete from precis_conversations where key = ?", key);
  yield* putRow("precis_deleted", { key, tenant, dialect, nodes, indexed, gone: 0 });
  yield* loosen(engine, [...names, row.head]);
  return key;
}

/** Messages that one transaction takes out of the index: with many in it, one takes milliseconds. */
const REMOVED_AT_ONCE = 10;

/** Removes some messages of one deleted conversation, or of any. False when none is left. */
export function* removeMessages(engine: SqlEngine, of?: number): Script<boolean> {
  const lock = of === undefined ? "for update skip locked" : "for update";
  const one = yield* firstRow<DeletedRow>(
    `select * from precis_deleted ${of === undefined ? "" : "where key = ?"} limit 1 ${engine.lockRows ? lock : ""}`,
    ...(of === undefined ? [] : [of]),
  );
  if (!one) return false;
  const { key, gone, nodes } = one;
  const to = yield* endOfStep(key, gone, Math.min(nodes, gone + REMOVED_AT_ONCE));
  yield* forgetMessages(engine, one, [gone, Math.min(to, one.indexed)]);
  const ids = [nodeId(key, gone), nodeId(key, to)];
  const bodies = yield* rows<{ readonly body: string }>(
    "select distinct body from precis_nodes where id >= ? and id < ? and body is not null",
    ...ids,
  );
  yield* rows("delete from precis_nodes where id >= ? and id < ?", ...ids);
  yield* deleteUnused(
    engine,
    bodies.map(({ body }) => body),
  );
  if (to < nodes) yield* rows("update precis_deleted set gone = ? where key = ?", to, key);
  else yield* rows("delete from precis_deleted where key = ?", key);
  return true;
}
