import type { DialectId, Role, Store } from "../core/types.ts";
import type { RecallIndex } from "../recall/candidates.ts";

/**
 * Everything that a server keeps: transcripts, records, events, citations, leases, client keys. Every method takes the
 * tenant first, and nothing of one tenant can be read, changed or guessed at through another.
 *
 * It is itself the engine's `Store`, for the tenant that it was opened with.
 */
export interface ServerStore extends Store {
  readonly kind: "memory" | "sqlite" | "postgres";
  /** Connects and brings the schema up to date. Every other method does so by itself; a server calls it to fail early. */
  ready(): Promise<void>;
  /** The engine's store of one tenant: checkpoints, summaries, undos. */
  records(tenant: string): Store;
  /** Removes all summaries that end with one of these messages, given their chain hashes, so that they are made anew. */
  forgetSummaries(tenant: string, hashes: readonly string[]): Promise<void>;
  /**
   * The index of the words of all messages of a tenant, or of one conversation. `searchIndex` of `precis/recall` ranks what it finds.
   * What was appended just before is found, too.
   */
  recallIndex(tenant: string, options?: { readonly conversation?: string }): RecallIndex;
  readonly conversations: ConversationStore;
  readonly events: EventStore;
  readonly citations: CitationStore;
  readonly leases: LeaseStore;
  readonly clientKeys: ClientKeyStore;
  readonly upkeep: Upkeep;
  /** Waits for what is under way, then lets go of files and connections. */
  close(): Promise<void>;
}

// ── Conversations ───────────────────────────────────────────────────────────────────────────────

/**
 * Transcripts: append-only, each message stored once however often a client sends it again. Only an answer that a client
 * says otherwise changes: it stands there as the client says it, with what was given beside it.
 */
export interface ConversationStore {
  /** Adds messages. When it resolves, they are in the store for good. Adding the same ones again adds nothing. */
  append(tenant: string, append: Append): Promise<Appended>;
  /** The conversation that shares the longest prefix with a transcript, given the chain hash after each message. */
  find(tenant: string, hashes: readonly string[], query?: FindQuery): Promise<FoundConversation | undefined>;
  /** Conversations that hold the message with this chain hash, those that changed last first; at most eight. */
  holding(tenant: string, hash: string): Promise<Conversation[]>;
  /** The newest conversation of a session. */
  findSession(tenant: string, session: string): Promise<Conversation | undefined>;
  /**
   * Where an answer of a provider stands, given its id. Of several conversations that hold it (forks share messages), one
   * that ends there; then the newest.
   */
  findAnswer(tenant: string, answer: string): Promise<FoundAnswer | undefined>;
  get(tenant: string, id: string): Promise<Conversation | undefined>;
  /** A conversation's `meta`. Servers ask for it with every request, so it waits for nothing that is being appended. */
  meta(tenant: string, id: string): Promise<unknown>;
  /** The leading system messages or the system prompt as last seen, as JSON text. */
  head(tenant: string, id: string): Promise<string | undefined>;
  /** Messages in their order. */
  read(tenant: string, id: string, range?: ReadRange): Promise<StoredMessage[]>;
  list(tenant: string, query?: ListQuery): Promise<ConversationPage>;
  update(tenant: string, id: string, changes: ConversationChanges): Promise<Conversation>;
  /**
   * Removes a conversation with its events, citations and records; messages and records that another conversation
   * still stands on stay. False when there is none.
   */
  delete(tenant: string, id: string, options?: { readonly forks?: boolean }): Promise<boolean>;
}

/** One message to add. */
export interface NewMessage {
  /** Chain hash of the transcript up to and including this message. */
  readonly hash: string;
  readonly role: Role;
  /** The wire message as JSON text; comes back as the very same text. */
  readonly wire: string;
  readonly tokens?: number;
  /** When it was said or first seen, in milliseconds. */
  readonly at: number;
  /**
   * The id of the provider's answer that ends with this message, for clients that go on by naming it. Given with a message
   * that is there already, it takes the place of the one before.
   */
  readonly answer?: string;
  /**
   * The wire messages of an answer as the provider gave it, as JSON texts, where the client said it otherwise. With the first
   * message of what the client said.
   */
  readonly given?: readonly string[];
}

/** What `append` takes. */
export interface Append {
  /** Left out: the newest conversation of `session`, or a new one. */
  readonly conversation?: string;
  /** The client's own id of the chat, if it has one. */
  readonly session?: string;
  /** The client asked for `session` by name: the conversation is for those who say that name. */
  readonly named?: true;
  /** Nobody else can know `session`, so there is no conversation of that name to look for. */
  readonly isNew?: true;
  /** Chain hash of the message that the new ones follow. Left out: they are the first. */
  readonly after?: string;
  /**
   * Chain hashes of the conversation's last messages, all of those behind `after`: the client says them otherwise, so the new
   * ones stand in their place. If others are there by now, the new ones make a fork as usual.
   */
  readonly instead?: readonly string[];
  readonly messages: readonly NewMessage[];
  /** The leading system messages or the system prompt as JSON text. The newest is kept. */
  readonly head?: string;
  readonly dialect?: DialectId;
  readonly model?: string;
  readonly title?: string;
  /** The conversation ends this long after its last message. */
  readonly ttlMs?: number;
  /** Now, in milliseconds. */
  readonly at: number;
}

/** What `append` did. */
export interface Appended {
  /** Where the messages are now: another conversation than the given one when they made a fork. */
  readonly conversation: string;
  /** The conversation that it was forked from, if this `append` made a fork. */
  readonly forkOf: string | undefined;
  /** How many messages were new. */
  readonly added: number;
  /** Messages of the conversation, all in all. */
  readonly length: number;
}

/** A conversation without its messages. */
export interface Conversation {
  readonly id: string;
  readonly session: string | undefined;
  /** Somebody asked for that session by name. */
  readonly named: boolean;
  readonly title: string;
  readonly dialect: DialectId | undefined;
  readonly model: string | undefined;
  readonly length: number;
  /** Sum of the messages' tokens, as far as they were given. */
  readonly tokens: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly expiresAt: number | undefined;
  readonly pinned: boolean;
  readonly archived: boolean;
  /** Where it was forked, as long as that conversation exists. */
  readonly fork: { readonly of: string; readonly length: number } | undefined;
  /** The host's own JSON: settings of the chat, pins, state. */
  readonly meta: unknown;
}

/** Which conversations `find` looks at. */
export interface FindQuery {
  /** Only those of this session. */
  readonly session?: string;
  /**
   * One that somebody asked for by name comes last: with as many messages in common an unnamed one is taken before it, and
   * so is one that has fewer but ends there, because the transcript simply goes on with it.
   */
  readonly prefer?: "unnamed";
}

/** A conversation that begins like a transcript. */
export interface FoundConversation {
  readonly conversation: Conversation;
  /** How many messages they share. */
  readonly matched: number;
}

/** A conversation that holds an answer. */
export interface FoundAnswer {
  readonly conversation: Conversation;
  /** Its messages up to the end of the answer. */
  readonly length: number;
}

/** One message as it was stored. */
export interface StoredMessage extends NewMessage {
  readonly position: number;
}

/** Which messages to read: `from` ≤ position < `to`. */
export interface ReadRange {
  readonly from?: number;
  readonly to?: number;
  /** Only those behind the message with this chain hash; none if the conversation doesn't hold it. */
  readonly after?: string;
}

/** Which conversations to list: pinned ones first, then the newest. */
export interface ListQuery {
  /** Text that the title contains, in any case. */
  readonly search?: string;
  /** Only those of this session. */
  readonly session?: string;
  /** Default `hide`. */
  readonly archived?: "hide" | "only" | "all";
  /** Default 50, at most 500. */
  readonly limit?: number;
  /** `next` of the page before. */
  readonly cursor?: string;
}

/** A page of conversations. */
export interface ConversationPage {
  readonly conversations: readonly Conversation[];
  /** Cursor of the next page, if there is one. */
  readonly next: string | undefined;
}

/** What a person may change. */
export interface ConversationChanges {
  readonly title?: string;
  readonly pinned?: boolean;
  readonly archived?: boolean;
  readonly meta?: unknown;
  readonly expiresAt?: number | undefined;
}

// ── Events, citations, leases ───────────────────────────────────────────────────────────────────

/** What happened, for timelines and for streams that resume where they broke off. */
export interface EventStore {
  /** Returns the event's id. Ids of a tenant only grow, and become visible in their order. */
  append(tenant: string, event: NewEvent): Promise<number>;
  /** Oldest first, from after `after`; with `newest`, the last `limit` of them. */
  list(tenant: string, query?: EventQuery): Promise<StoredEvent[]>;
}

/** An event to add. */
export interface NewEvent {
  readonly type: string;
  readonly conversation?: string;
  readonly at: number;
  /** JSON. */
  readonly data: unknown;
}

/** An event as it was stored. */
export interface StoredEvent {
  readonly id: number;
  readonly type: string;
  readonly conversation: string | undefined;
  readonly at: number;
  readonly data: unknown;
}

/** Which events to list. */
export interface EventQuery {
  readonly after?: number;
  readonly conversation?: string;
  readonly newest?: boolean;
  /** Default 100, at most 1,000. */
  readonly limit?: number;
}

/** Source → number within a conversation. A number, once given, never changes. */
export interface CitationStore {
  /** The numbers of sources, in the order given; new sources get the next ones. */
  register(tenant: string, conversation: string, sources: readonly CitationSource[]): Promise<Citation[]>;
  list(tenant: string, conversation: string): Promise<Citation[]>;
}

/** What a citation points at. */
export interface CitationSource {
  /** A URL, a path or an id: what makes it the same source. */
  readonly source: string;
  readonly title?: string;
}

/** A source and its number, from 1. */
export interface Citation extends CitationSource {
  readonly number: number;
}

/** "I am doing this" across all nodes, with an end: a node that dies is taken over. */
export interface LeaseStore {
  /** Undefined while another owner holds it. Its own owner gets it again, extended. */
  acquire(tenant: string, name: string, owner: string, ttlMs: number): Promise<Lease | undefined>;
  /** False when it was lost in the meantime: stop. */
  renew(tenant: string, name: string, owner: string, ttlMs: number): Promise<boolean>;
  /** False when it was another's already. */
  release(tenant: string, name: string, owner: string): Promise<boolean>;
}

/** A held lease. */
export interface Lease {
  readonly name: string;
  readonly owner: string;
  readonly expiresAt: number;
  /** Grows with every change of owner, so that a late write of an earlier one can be told. */
  readonly fence: number;
}

// ── Client keys ─────────────────────────────────────────────────────────────────────────────────

/** Keys that clients of the server show. Only their hashes are stored. */
export interface ClientKeyStore {
  /** The key itself is in the answer, and nowhere else ever again. */
  create(tenant: string, key: NewClientKey): Promise<{ readonly key: string; readonly clientKey: ClientKey }>;
  /** Whose key this is; undefined for one that is unknown, revoked or expired. */
  verify(key: string): Promise<ClientKey | undefined>;
  list(tenant: string): Promise<ClientKey[]>;
  /** False when there is none. */
  revoke(tenant: string, id: string): Promise<boolean>;
}

/** A key to make. */
export interface NewClientKey {
  readonly name: string;
  /** Limits by name, such as `requestsPerMinute`; the server enforces them. */
  readonly limits?: Readonly<Record<string, number>>;
  readonly expiresAt?: number;
}

/** A key without the key. */
export interface ClientKey {
  readonly id: string;
  readonly tenant: string;
  readonly name: string;
  readonly limits: Readonly<Record<string, number>>;
  readonly createdAt: number;
  readonly expiresAt: number | undefined;
  readonly revokedAt: number | undefined;
  /** Accurate to a minute. */
  readonly lastUsedAt: number | undefined;
}

// ── Upkeep ──────────────────────────────────────────────────────────────────────────────────────

/** What keeps a store small, known and movable. */
export interface Upkeep {
  /** Removes what has had its time. */
  sweep(retention?: Retention): Promise<Swept>;
  stats(tenant?: string): Promise<StoreStats>;
  /** Tenants with a conversation that had a message since (milliseconds), in their order. */
  activeTenants(since: number): Promise<string[]>;
  /** Gives freed space back to the disk. */
  vacuum(): Promise<void>;
  /**
   * Writes a whole copy of the database into a new file, as it was at one moment; others may write meanwhile. Only an SQLite
   * file can be copied so; the process waits for it.
   */
  backup(file: string): Promise<void>;
  /** Everything as lines of JSON, as it was at one moment. */
  exportAll(options?: { readonly tenant?: string }): AsyncIterable<string>;
  /**
   * Adds what `exportAll` gave, of any kind of store. What is there already stays as it is. Client keys are left out
   * unless `clientKeys` says otherwise: whoever wrote the file would hold keys to every tenant that it names.
   */
  importAll(
    lines: AsyncIterable<string> | Iterable<string>,
    options?: { readonly clientKeys?: boolean },
  ): Promise<Imported>;
}

/** What may stay. Leases, tombstones and conversations past their own end always go. */
export interface Retention {
  /** Only of this tenant. */
  readonly tenant?: string;
  /** Conversations without a message for longer than this go, unless pinned. */
  readonly conversationsMs?: number;
  /** Events older than this go. */
  readonly eventsMs?: number;
  /** Records that no conversation stands on and that are older than this go. */
  readonly recordsMs?: number;
}

/** What `sweep` removed. */
export interface Swept {
  readonly conversations: number;
  readonly events: number;
  readonly records: number;
  readonly leases: number;
}

/** Kinds of things that a store counts. */
export type StoreCount =
  | "conversations"
  | "messages"
  | "bodies"
  | "checkpoints"
  | "summaries"
  | "undos"
  | "events"
  | "citations"
  | "leases"
  | "clientKeys";

/** What is in a store. `messages` counts places in transcripts, `bodies` their texts, of which several may share one. */
export interface StoreStats {
  readonly kind: ServerStore["kind"];
  readonly schema: number;
  readonly tenants: number;
  readonly counts: Readonly<Record<StoreCount, number>>;
  /** Bytes of the whole store on disk; undefined in memory. */
  readonly bytes: number | undefined;
  /** Newest change of a conversation. */
  readonly updatedAt: number | undefined;
}

/** What `importAll` read and what of it was new. */
export interface Imported {
  readonly lines: number;
  readonly added: number;
  /** Client keys among what was added, and those that were read and left out. */
  readonly clientKeys: { readonly added: number; readonly leftOut: number };
}
