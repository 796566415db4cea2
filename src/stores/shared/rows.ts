import type { Conversation, ConversationChanges, NewMessage, StoredMessage } from "../server-store.ts";
import { cleanTitle } from "./clean-text.ts";
import {
  CONVERSATION_ENTRIES,
  type Column,
  type ConversationRow,
  MESSAGE_FACTS,
  type MessageFacts,
  type SeenColumns,
} from "./columns.ts";

/** Between rows and what callers see. */

const facts = Object.entries(MESSAGE_FACTS) as readonly (readonly [keyof MessageFacts, Column])[];

export function messageFacts(message: NewMessage): MessageFacts {
  const stored: Partial<Record<keyof MessageFacts, unknown>> = {};
  for (const [name, column] of facts) stored[name] = column.store(message[name]);
  return stored as MessageFacts;
}

/** What wasn't said of a message isn't there. */
export function messageOf(
  row: MessageFacts & { readonly position: number; readonly wire: string },
): StoredMessage {
  const said: Record<string, unknown> = { position: Number(row.position), wire: row.wire };
  for (const [name, column] of facts) {
    const value = column.read(row[name]);
    if (value !== undefined) said[name] = value;
  }
  return said as unknown as StoredMessage;
}

export function conversationOf(row: ConversationRow): Conversation {
  const seen: Record<string, unknown> = {};
  for (const [name, { as, read }] of CONVERSATION_ENTRIES) if (as !== undefined) seen[as] = read(row[name]);
  const { fork_of: of, fork_length } = row;
  const fork = of === null ? undefined : { of, length: Number(fork_length) };
  return { ...(seen as SeenColumns), fork };
}

/** A conversation of which nothing was said. */
export const EMPTY_CONVERSATION = Object.fromEntries(
  CONVERSATION_ENTRIES.map(([name, { type, store }]) => [
    name,
    store(undefined) === null ? null : type === "text" ? "" : 0,
  ]),
) as ConversationRow;

/** The row of a conversation; `head` is the address of its head. */
export function conversationRow(
  tenant: string,
  conversation: Conversation,
  head: string | undefined,
): ConversationRow {
  const row: Partial<Record<keyof ConversationRow, unknown>> = {};
  for (const [name, { as, store }] of CONVERSATION_ENTRIES)
    if (as !== undefined) row[name] = store(conversation[as]);
  return {
    ...EMPTY_CONVERSATION,
    ...(row as Partial<ConversationRow>),
    ...titleColumns(conversation.title),
    tenant,
    head: head ?? null,
    fork_of: conversation.fork?.of ?? null,
    fork_length: conversation.fork?.length ?? null,
  };
}

/** What a person changes. A value that can be missing is removed by `undefined`, of others that says nothing. */
export function changedColumns(changes: ConversationChanges): Partial<ConversationRow> {
  const set: Partial<Record<keyof ConversationRow, unknown>> = {};
  for (const [name, { as, store }] of CONVERSATION_ENTRIES) {
    if (as === undefined || !(as in changes)) continue;
    const said = changes[as as keyof ConversationChanges];
    if (said !== undefined || store(undefined) === null) set[name] = store(said);
  }
  return {
    ...(set as Partial<ConversationRow>),
    ...(changes.title !== undefined && titleColumns(changes.title)),
  };
}

export function titleColumns(given: string): Pick<ConversationRow, "title" | "title_search"> {
  const title = cleanTitle(given);
  return { title, title_search: title.toLowerCase() };
}

/** A row as PostgreSQL hands it over, with numbers where it says them as text. */
export function plainRow(row: ConversationRow): ConversationRow {
  const plain: Partial<Record<keyof ConversationRow, unknown>> = {};
  for (const [name, { type }] of CONVERSATION_ENTRIES) {
    const value = row[name];
    plain[name] = type === "text" || value === null ? value : Number(value);
  }
  return plain as ConversationRow;
}
