import type { ConversationRow, MessageRow } from "../shared/columns.ts";

/** The tables, the same on every database. Times are milliseconds, flags are 0 or 1, JSON is text. */
export interface Schema {
  precis_meta: { key: string; value: string };
  /** One row per tenant that has events: the counter of their ids. */
  precis_tenants: { tenant: string; last_event: number };
  /** The JSON of heads, and of messages whose text doesn't stand with them: each once per tenant. */
  precis_bodies: { tenant: string; hash: string; wire: string };
  precis_conversations: ConversationRow;
  /** The messages of a conversation by position; `hash` is the chain hash. */
  precis_messages: MessageRow;
  precis_checkpoints: { tenant: string; id: string; hash: string; saved_at: number; json: string };
  precis_summaries: { tenant: string; key: string; hash: string; saved_at: number; json: string };
  precis_undos: { tenant: string; checkpoint: string; saved_at: number; json: string };
  precis_answers: { tenant: string; hash: string; model: string; saved_at: number; json: string };
  precis_recalled: { tenant: string; hash: string; checkpoint: string; saved_at: number; json: string };
  /** Chain hashes of deleted conversations: a summary that was under way meanwhile must not come back. */
  precis_tombstones: { tenant: string; hash: string; at: number };
  precis_events: EventTable;
  precis_citations: CitationTable;
  precis_leases: { tenant: string; name: string; owner: string; expires_at: number; fence: number };
  precis_client_keys: ClientKeyTable;
}

export interface EventTable {
  tenant: string;
  id: number;
  conversation: string | null;
  type: string;
  at: number;
  data: string;
}

interface CitationTable {
  tenant: string;
  conversation: string;
  number: number;
  /** Hash of the source: sources may be longer than an index takes. */
  source_hash: string;
  source: string;
  title: string | null;
}

export interface ClientKeyTable {
  tenant: string;
  id: string;
  /** SHA-256 of the key. */
  hash: string;
  name: string;
  limits: string;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
  last_used_at: number | null;
}
