/** The tables, the same on every database. Times are milliseconds, flags are 0 or 1, JSON is text. */
export interface Schema {
  precis_meta: { key: string; value: string };
  /** One row per tenant that has events: the counter of their ids. */
  precis_tenants: { tenant: string; last_event: number };
  /** The JSON of heads, and of messages whose text stands apart: each once per tenant. */
  precis_bodies: { tenant: string; hash: string; wire: string };
  precis_conversations: ConversationTable;
  /** The messages of a conversation by position; `hash` is the chain hash. */
  precis_messages: MessageTable;
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

export interface ConversationTable {
  tenant: string;
  id: string;
  session: string | null;
  /** The session was asked for by name. */
  named: number;
  title: string;
  /** The title in lower case, because databases disagree on what lower case is. */
  title_search: string;
  dialect: string | null;
  model: string | null;
  /** Hash of a body. */
  head: string | null;
  length: number;
  tokens: number;
  created_at: number;
  updated_at: number;
  expires_at: number | null;
  pinned: number;
  archived: number;
  fork_of: string | null;
  fork_length: number | null;
  meta: string | null;
}

export interface MessageTable {
  tenant: string;
  conversation: string;
  position: number;
  hash: string;
  /** The hash under which its JSON stands, or the JSON itself in `wire`. */
  body: string | null;
  role: string;
  tokens: number | null;
  at: number;
  /** Id of the provider's answer that ends here. */
  answer: string | null;
  /** The wire messages of an answer as it was given, as a JSON list of texts, where the client said it otherwise. */
  given: string | null;
  wire: string | null;
}

export interface EventTable {
  tenant: string;
  id: number;
  conversation: string | null;
  type: string;
  at: number;
  data: string;
}

export interface CitationTable {
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
