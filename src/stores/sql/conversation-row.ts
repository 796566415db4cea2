import type { DialectId } from "../../core/types.ts";
import type { Conversation } from "../server-store.ts";
import { cleanTitle, nameFault } from "../shared/texts.ts";
import { firstRow, type Script } from "./script.ts";
import type { SqlEngine } from "./sql-engine.ts";

/** Messages that a conversation can have. */
export const NODES_PER_CONVERSATION = 2 ** 20;

/** A conversation as the table holds it. */
export interface ConversationRow {
  key: number;
  tenant: string;
  id: string;
  /** The node that is shown last; null in an empty one. */
  leaf: number | null;
  /** Messages and tokens on the path to the leaf. */
  length: number;
  tokens: number;
  /** Messages in all branches. */
  nodes: number;
  branched: number;
  /** Nodes that are in the index of words. */
  indexed: number;
  created_at: number;
  updated_at: number;
  stored_at: number | null;
  expires_at: number | null;
  deleted_at: number | null;
  pinned: number;
  archived: number;
  named: number;
  session: string | null;
  client: string | null;
  dialect: DialectId | null;
  model: string | null;
  head: string | null;
  title: string;
  /** The title in lower case, because databases disagree on what lower case is. */
  title_search: string;
  meta: string | null;
}

/** How each column is stored. PostgreSQL says large numbers as text. */
const COLUMNS: Readonly<Record<keyof ConversationRow, "number" | "text">> = {
  key: "number",
  leaf: "number",
  length: "number",
  tokens: "number",
  nodes: "number",
  branched: "number",
  indexed: "number",
  created_at: "number",
  updated_at: "number",
  stored_at: "number",
  expires_at: "number",
  deleted_at: "number",
  pinned: "number",
  archived: "number",
  named: "number",
  tenant: "text",
  id: "text",
  session: "text",
  client: "text",
  dialect: "text",
  model: "text",
  head: "text",
  title: "text",
  title_search: "text",
  meta: "text",
};

export const CONVERSATION_COLUMNS = Object.keys(COLUMNS) as readonly (keyof ConversationRow)[];
const NUMBERS = CONVERSATION_COLUMNS.filter((name) => COLUMNS[name] === "number");

/** A row with numbers, on every database. */
export function plainRow<R extends ConversationRow>(row: R): R {
  if (typeof row.key === "number") return row;
  const plain = { ...row } as Record<string, unknown>;
  for (const name of NUMBERS) if (plain[name] !== null) plain[name] = Number(plain[name]);
  return plain as unknown as R;
}

export function conversationOf(given: ConversationRow): Conversation {
  const row = plainRow(given);
  return {
    id: row.id,
    session: row.session ?? row.id,
    client: row.client ?? undefined,
    named: row.named === 1,
    title: row.title,
    dialect: row.dialect ?? undefined,
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
  const row = yield* firstRow<ConversationRow>(
    `select * from precis_conversations where tenant = ? and ${GOES_BY} and deleted_at is null
     order by updated_at desc, created_at desc, id desc limit 1`,
    tenant,
    session,
    session,
  );
  return row && plainRow(row);
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
  const row = yield* firstRow<ConversationRow>(
    `select * from precis_conversations where tenant = ? and id = ? ${lock}`,
    tenant,
    id,
  );
  return row && plainRow(row);
}
