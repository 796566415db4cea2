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
  /** Events older than this go. */
  readonly eventsMs?: number;
  /** Requests older than this go, with what they come to. */
  readonly requestsMs?: number;
  /** Records that no conversation stands on and that are older than this go. */
  readonly recordsMs?: number;
}

/** What `sweep` removed. */
export interface Swept {
  readonly conversations: number;
  readonly events: number;
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
  | "events"
  | "citations"
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
