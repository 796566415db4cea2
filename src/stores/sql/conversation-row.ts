import type { DialectId } from "../../core/types.ts";
import type { Conversation } from "../server-store.ts";
import { cleanTitle } from "../shared/clean-text.ts";

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
  dialect: DialectId | null;
  model: string | null;
  head: string | null;
  title: string;
  /** The title in lower case, because databases disagree on what lower case is. */
  title_search: string;
  meta: string | null;
}

/** PostgreSQL says large numbers as text. */
const NUMBERS = [
  "key",
  "leaf",
  "length",
  "tokens",
  "nodes",
  "branched",
  "indexed",
  "created_at",
  "updated_at",
  "stored_at",
  "expires_at",
  "deleted_at",
  "pinned",
  "archived",
  "named",
] as const satisfies readonly (keyof ConversationRow)[];

const TEXTS = [
  "tenant",
  "id",
  "session",
  "dialect",
  "model",
  "head",
  "title",
  "title_search",
  "meta",
] as const satisfies readonly (keyof ConversationRow)[];

export const CONVERSATION_COLUMNS: readonly (keyof ConversationRow)[] = [...NUMBERS, ...TEXTS];

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
    session: row.session ?? undefined,
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

export function titleColumns(given: string): Pick<ConversationRow, "title" | "title_search"> {
  const title = cleanTitle(given);
  return { title, title_search: title.toLowerCase() };
}
