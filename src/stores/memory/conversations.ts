import type { ConversationStore, FoundConversation } from "../server-store.ts";
import type { ConversationRow } from "../shared/columns.ts";
import { HOLDERS, PAGE, pageSize } from "../shared/limits.ts";
import { type ListCursor, readCursor, writeCursor } from "../shared/list-cursor.ts";
import { conversationNotFound } from "../shared/not-found.ts";
import { changedColumns, conversationOf } from "../shared/rows.ts";
import { append } from "./append.ts";
import { deleteConversation, forksOf } from "./delete-conversation.ts";
import { type HeldConversation, type MemoryContext, newestOf, type TenantData } from "./tenant-data.ts";

export function memoryConversations(context: MemoryContext): ConversationStore {
  const { of, now, newId, limits } = context;
  return {
    async append(tenant, input) {
      const data = of("append", tenant);
      const appended = append(data, { tenant, id: newId(), input });
      if (data.conversations.size > limits.conversations) forgetOne(data, appended.conversation, now());
      return appended;
    },

    async find(tenant, hashes, { session, prefer } = {}) {
      const data = of("find", tenant);
      const isOfSession = ({ row }: HeldConversation) => session === undefined || row.session === session;
      const found = longestMatch(data, hashes, isOfSession);
      if (prefer !== "unnamed" || !found?.conversation.named) return found;
      const last = hashes[found.matched - 1];
      const unnamed = longestMatch(
        data,
        hashes,
        (held, hash) => isOfSession(held) && held.row.named === 0 && (hash === last || endsWith(held, hash)),
      );
      return unnamed ?? found;
    },

    async holding(tenant, hash) {
      const data = of("holding", tenant);
      return [...(data.byHash.get(hash) ?? [])]
        .flatMap((id) => data.conversations.get(id)?.row ?? [])
        .sort((a, b) => b.updated_at - a.updated_at || (a.id < b.id ? 1 : -1))
        .slice(0, HOLDERS)
        .map(conversationOf);
    },

    findSession: async (tenant, session) =>
      seen(newestOf(of("findSession", tenant), ({ row }) => row.session === session)),

    async findAnswer(tenant, answer) {
      const lengthIn = ({ messages }: HeldConversation) =>
        messages.findLastIndex((message) => message.answer === answer) + 1;
      const data = of("findAnswer", tenant);
      const found =
        newestOf(data, (held) => held.messages.at(-1)?.answer === answer) ??
        newestOf(data, (held) => lengthIn(held) > 0);
      return found && { conversation: conversationOf(found.row), length: lengthIn(found) };
    },

    get: async (tenant, id) => seen(of("get", tenant).conversations.get(id)),

    meta: async (tenant, id) => seen(of("meta", tenant).conversations.get(id))?.meta,

    head: async (tenant, id) => of("head", tenant).conversations.get(id)?.row.head ?? undefined,

    async read(tenant, id, { from = 0, to, after } = {}) {
      const messages = of("read", tenant).conversations.get(id)?.messages ?? [];
      if (after === undefined) return messages.slice(from, to);
      const last = messages.findIndex(({ hash }) => hash === after);
      return last === -1 ? [] : messages.slice(Math.max(from, last + 1), to);
    },

    async list(tenant, { search, session, archived = "hide", limit, cursor } = {}) {
      const size = pageSize(limit, PAGE);
      const after = cursor === undefined ? undefined : readCursor(cursor);
      const text = search?.toLowerCase() ?? "";
      const rows = Array.from(of("list", tenant).conversations.values(), ({ row }) => row)
        .filter((one) => archived === "all" || (one.archived === 1) === (archived === "only"))
        .filter((one) => one.title_search.includes(text))
        .filter((one) => session === undefined || one.session === session)
        .filter((one) => !after || compare(cursorOf(one), after) > 0)
        .sort((a, b) => compare(cursorOf(a), cursorOf(b)));
      const page = rows.slice(0, size);
      const last = page.at(-1);
      return {
        conversations: page.map(conversationOf),
        next: rows.length > size && last ? writeCursor(cursorOf(last)) : undefined,
      };
    },

    async update(tenant, id, changes) {
      const held = of("update", tenant).conversations.get(id);
      if (!held) throw conversationNotFound("update", id);
      const wanted = typeof changes === "function" ? changes(conversationOf(held.row)) : changes;
      held.row = { ...held.row, ...changedColumns(wanted) };
      return conversationOf(held.row);
    },

    async delete(tenant, id, { forks = false } = {}) {
      const data = of("delete", tenant);
      const deleted = (forks ? forksOf(data, id) : [id]).map((one) => deleteConversation(data, one, now()));
      return deleted.includes(true);
    },
  };
}

function seen(held: HeldConversation | undefined) {
  return held && conversationOf(held.row);
}

/** Of several conversations with the same messages: one that ends there rather than one that went on otherwise. */
function longestMatch(
  data: TenantData,
  hashes: readonly string[],
  test: (held: HeldConversation, hash: string) => boolean,
): FoundConversation | undefined {
  for (const hash of hashes.toReversed()) {
    const holders = data.byHash.get(hash);
    if (!holders) continue;
    const holds = (held: HeldConversation) => holders.has(held.row.id) && test(held, hash);
    const found = newestOf(data, (held) => holds(held) && endsWith(held, hash)) ?? newestOf(data, holds);
    if (!found) continue;
    // By its place in the request: a client may leave out messages that the conversation holds.
    return { conversation: conversationOf(found.row), matched: hashes.lastIndexOf(hash) + 1 };
  }
  return undefined;
}

function endsWith(held: HeldConversation, hash: string): boolean {
  return held.messages.at(-1)?.hash === hash;
}

function cursorOf({ pinned, updated_at: updatedAt, id }: ConversationRow): ListCursor {
  return { pinned: pinned === 1 ? 1 : 0, updatedAt, id };
}

/** Pinned ones first, then the newest. */
function compare(a: ListCursor, b: ListCursor): number {
  return b.pinned - a.pinned || b.updatedAt - a.updatedAt || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0);
}

/** Memory is finite: the conversation that has been quiet for longest goes. */
function forgetOne(data: TenantData, except: string, now: number): void {
  let oldest: ConversationRow | undefined;
  for (const { row } of data.conversations.values()) {
    if (row.id === except) continue;
    if (!oldest || compare(cursorOf(row), cursorOf(oldest)) > 0) oldest = row;
  }
  if (oldest) deleteConversation(data, oldest.id, now);
}
