import type { Store } from "../core/types.ts";
import type { RecallIndex } from "../recall/candidates.ts";
import type { ConversationStore, ListQuery } from "./server-store/conversations.ts";
import type { RequestStore } from "./server-store/requests.ts";

export type * from "./server-store/conversations.ts";
export type * from "./server-store/requests.ts";

/**
 * Everything that a server keeps: transcripts, records, requests, leases, client keys. Every method takes the
 * tenant first, and nothing of one tenant can be read, changed or guessed at through another.
 *
 * It is itself the engine's `Store`, for the tenant that it was opened with.
 */
export interface ServerStore extends Store {
  readonly kind: StoreStats["kind"];
  /** Connects and brings the schema up to date. Every other method does so by itself; a server calls it to fail early. */
  ready(): Promise<void>;
  /**
   * The engine's store of one tenant: checkpoints, summaries, undos. Each stands on a stored message and goes with it; one
   * without is refused, unless its message is expected.
   */
  records(tenant: string): Store;
  /** A request with these messages is under way: their records may come before them. Returns what ends that. */
  expect(tenant: string, hashes: readonly string[]): () => void;
  /** Removes all summaries that end with one of these messages, given their chain hashes, so that they are made anew. */
  forgetSummaries(tenant: string, hashes: readonly string[]): Promise<void>;
  /**
   * The index of the words of all messages of a tenant that nobody threw away, or of one conversation. `searchIndex` of
   * `precis/recall` ranks what it finds. What was appended just before is found, too.
   */
  recallIndex(tenant: string, scope?: IndexScope): RecallIndex;
  readonly conversations: ConversationStore;
  readonly requests: RequestStore;
  readonly leases: LeaseStore;
  readonly clientKeys: ClientKeyStore;
  readonly settings: SettingsStore;
  readonly learned: LearnedStore;
  readonly streams: StreamStore;
  readonly upkeep: Upkeep;
  /** Waits for what is under way, then lets go of files and connections. */
  close(): Promise<void>;
}

/** What an index searches. Default: all conversations of the tenant. */
export interface IndexScope {
  readonly conversation?: string | undefined;
  /** Only people's own chats, or only those of clients. */
  readonly of?: ListQuery["of"] | undefined;
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

/** Live streams as what was done in them, line by line: whoever carries all lines out again has the stream as it was. The 64 of a tenant that were used last stay. */
export interface StreamStore {
  /** Adds lines from number `from` on; 0 begins a stream. False where the stream hasn't just `from` lines: somebody else went on with it, or removed it. */
  add(tenant: string, stream: string, from: number, lines: readonly string[]): Promise<boolean>;
  /** Its lines from number `from` on, at most so many, and never more than 100: each may be long. */
  read(tenant: string, stream: string, from: number, most?: number): Promise<string[]>;
  /** False when there is none. */
  remove(tenant: string, stream: string): Promise<boolean>;
}

/** Settings of all chats of a tenant: the host's own JSON. */
export interface SettingsStore {
  read(tenant: string): Promise<unknown>;
  /** Changes them by what they are at that moment; nobody else changes them in between. */
  change(tenant: string, change: (settings: unknown) => unknown): Promise<unknown>;
}

/** What a server learned of the models behind its upstreams, shared by all that have this store. It isn't exported. */
export interface LearnedStore {
  /** What was put after `since` (milliseconds), the newest first. */
  list(since?: number): Promise<LearnedValue[]>;
  /** Each takes the place of the one with the same names. The newest 1,000 of a tenant stay, each for 30 days. */
  put(learned: readonly LearnedValue[]): Promise<void>;
}

/** One learned value. Its names hold neither keys nor addresses. */
export interface LearnedValue {
  /** Whom it holds for; empty: everybody. */
  readonly tenant: string;
  readonly upstream: string;
  readonly model: string;
  /** Such as `window`, `cache` or `count`. */
  readonly kind: string;
  /** The server's own JSON. */
  readonly value: unknown;
  readonly at: number;
}

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

/** What is stored of a client key: everything but the key itself. */
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

/** What may stay. Leases and conversations past their own end always go. */
export interface Retention {
  /** Only of this tenant. */
  readonly tenant?: string;
  /**
   * Conversations without a message for longer than this go, unless pinned. One that was old when it came into the store
   * (an import) has this time from then on.
   */
  readonly conversationsMs?: number;
  /** Requests older than this go, with what they come to. */
  readonly requestsMs?: number;
  /** Records that no conversation stands on and that are older than this go. */
  readonly recordsMs?: number;
}

/** What `sweep` removed. */
export interface Swept {
  readonly conversations: number;
  readonly requests: number;
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
  | "leases"
  | "clientKeys";

/** What is in a store. `messages` counts places in transcripts, `bodies` their texts, of which several may share one. */
export interface StoreStats {
  readonly kind: "memory" | "sqlite" | "postgres";
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
