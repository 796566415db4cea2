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
  /** Only those with a lower id: the page before one that was read with `newest`. */
  readonly before?: number;
  readonly type?: string;
  readonly conversation?: string;
  readonly newest?: boolean;
  /** Default 100, at most 1,000. */
  readonly limit?: number;
}

/** Source → number within a conversation. A number, once given, never changes. */
export interface CitationStore {
  /** The numbers of sources, in the order given; new sources get the numbers that they go by, or the next ones. */
  register(tenant: string, conversation: string, sources: readonly CitationSource[]): Promise<Citation[]>;
  list(tenant: string, conversation: string): Promise<Citation[]>;
}

/** What a citation points at. */
export interface CitationSource {
  /** A URL, a path or an id: what makes it the same source. */
  readonly source: string;
  readonly title?: string;
  /** What it goes by in the conversation: its number, if no other source has it. */
  readonly number?: number;
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

/** Settings of all chats of a tenant: the host's own JSON. */
export interface SettingsStore {
  read(tenant: string): Promise<unknown>;
  /** Changes them by what they are at that moment; nobody else changes them in between. */
  change(tenant: string, change: (settings: unknown) => unknown): Promise<unknown>;
}
