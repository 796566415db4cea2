import type { DialectId } from "../../core/types.ts";
import type { Conversation } from "../server-store.ts";
import { cleanTitle, nameFault } from "../shared/texts.ts";
import { firstRow, type RowOf, type Script } from "./script.ts";
import type { SqlEngine } from "./sql-engine.ts";

/** Messages that a conversation can have. */
export const NODES_PER_CONVERSATION = 2 ** 20;

/** The columns of conversations: the one place to declare one. */
export const CONVERSATION_COLUMNS = {
  key: "integer not null primary key",
  tenant: "text not null",
  id: "text not null",
  /** The node that is shown last; null in an empty one. */
  leaf: "bigint",
  /** Messages and tokens on the path to the leaf. */
  length: "bigint not null",
  tokens: "bigint not null",
  /** Messages in all branches. */
  nodes: "bigint not null",
  branched: "smallint not null",
  /** Nodes that are in the index of words. */
  indexed: "bigint not null",
  created_at: "bigint not null",
  updated_at: "bigint not null",
  stored_at: "bigint",
  expires_at: "bigint",
  deleted_at: "bigint",
  pinned: "smallint not null",
  archived: "smallint not null",
  named: "smallint not null",
  session: "text",
  client: "text",
  dialect: "text",
  model: "text",
  head: "text",
  title: "text not null",
  /** The title in lower case, because databases disagree on what lower case is. */
  title_search: "text not null",
  meta: "text",
} as const;

/** A conversation as the table holds it. */
export type ConversationRow = RowOf<typeof CONVERSATION_COLUMNS>;

export function conversationOf(row: ConversationRow): Conversation {
  return {
    id: row.id,
    session: row.session ?? row.id,
    client: row.client ?? undefined,
    named: row.named === 1,
    title: row.title,
    dialect: (row.dialect as DialectId | null) ?? undefined,
    model: row.model ?? undefined,
    length: row.length,
    tokens: row.tokens,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    storedAt: row.stored_at ?? undefined,
    expiresAt: row.expires_at ?? undefined,
    pinned: row.pinned === 1,
    archived: row.archived === 1,
    deletedAt: row.deleted_at ?? undefined,
    branched: row.branched === 1,
    leaf: row.leaf === null ? undefined : row.leaf % NODES_PER_CONVERSATION,
    meta: row.meta === null ? undefined : (JSON.parse(row.meta) as unknown),
  };
}

/** What `conversationOf` reads, the other way round. What isn't said is missing or false. */
export function conversationRow(
  of: Partial<Conversation> & Pick<Conversation, "id" | "createdAt" | "updatedAt">,
  rest: Pick<ConversationRow, "key" | "tenant" | "leaf" | "nodes" | "head">,
): ConversationRow {
  return {
    ...rest,
    id: of.id,
    length: of.length ?? 0,
    tokens: of.tokens ?? 0,
    branched: of.branched ? 1 : 0,
    indexed: 0,
    created_at: Math.round(of.createdAt),
    updated_at: Math.round(of.updatedAt),
    stored_at: wholeOrNull(of.storedAt),
    expires_at: wholeOrNull(of.expiresAt),
    deleted_at: wholeOrNull(of.deletedAt),
    pinned: of.pinned ? 1 : 0,
    archived: of.archived ? 1 : 0,
    named: of.named ? 1 : 0,
    session: of.session === of.id ? null : (of.session ?? null),
    client: of.client ?? null,
    dialect: of.dialect ?? null,
    model: of.model ?? null,
    ...titleColumns(of.title ?? ""),
    meta: of.meta === undefined ? null : JSON.stringify(of.meta),
  };
}

/** A time as it is stored. */
export const wholeOrNull = (time: number | undefined): number | null =>
  time === undefined ? null : Math.round(time);

export function titleColumns(given: string): Pick<ConversationRow, "title" | "title_search"> {
  const title = cleanTitle(given);
  return { title, title_search: title.toLowerCase() };
}

/** True of the conversations that go by a name, which are its two values. */
export const GOES_BY = "(session = ? or (id = ? and session is null))";

/** The newest conversation of a session. */
export function* rowOfSession(tenant: string, session: string): Script<ConversationRow | undefined> {
  return yield* firstRow<ConversationRow>(
    `select * from precis_conversations where tenant = ? and ${GOES_BY} and deleted_at is null
     order by updated_at desc, created_at desc, id desc limit 1`,
    tenant,
    session,
    session,
  );
}

/** True if there is such a conversation. Where rows can be locked, it stays as it is until the transaction ends. */
export function* holdConversation(
  { lockRows }: Pick<SqlEngine, "lockRows">,
  tenant: string,
  id: string,
  lock: "for update" | "for key share",
): Script<boolean> {
  return (yield* rowOf(tenant, id, lockRows ? lock : "")) !== undefined;
}

export function* rowOf(tenant: string, id: string, lock = ""): Script<ConversationRow | undefined> {
  // PostgreSQL would refuse the question. Nothing has a name that can't be stored.
  if (nameFault(id)) return undefined;
  return yield* firstRow<ConversationRow>(
    `select * from precis_conversations where tenant = ? and id = ? ${lock}`,
    tenant,
    id,
  );
}
