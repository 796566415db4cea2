import type { Selectable } from "kysely";
import type { Role } from "../../core/types.ts";
import type { Conversation, StoredMessage } from "../server-store.ts";
import type { ConversationTable, MessageTable } from "./schema.ts";

/** A row as the outside sees it. PostgreSQL hands large integers over as text, hence the conversions. */
export function conversationOf(row: Selectable<ConversationTable>): Conversation {
  return {
    id: row.id,
    session: row.session ?? undefined,
    named: Number(row.named) === 1,
    title: row.title,
    dialect: row.dialect ?? undefined,
    model: row.model ?? undefined,
    length: Number(row.length),
    tokens: Number(row.tokens),
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
    expiresAt: row.expires_at === null ? undefined : Number(row.expires_at),
    pinned: Number(row.pinned) === 1,
    archived: Number(row.archived) === 1,
    fork: row.fork_of === null ? undefined : { of: row.fork_of, length: Number(row.fork_length) },
    meta: readMeta(row),
  };
}

export function readMeta({ meta }: Pick<Selectable<ConversationTable>, "meta">): unknown {
  return meta === null ? undefined : (JSON.parse(meta) as unknown);
}

export function messageOf(
  row: Pick<Selectable<MessageTable>, "position" | "hash" | "role" | "tokens" | "at" | "answer" | "given"> & {
    wire: string;
  },
): StoredMessage {
  return {
    position: Number(row.position),
    hash: row.hash,
    role: row.role as Role,
    wire: row.wire,
    ...(row.tokens !== null && { tokens: Number(row.tokens) }),
    at: Number(row.at),
    ...(row.answer !== null && { answer: row.answer }),
    ...(row.given !== null && { given: JSON.parse(row.given) as string[] }),
  };
}
