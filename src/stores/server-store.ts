import type { Store } from "../core/types.ts";
import type { RecallIndex } from "../recall/candidates.ts";
import type {
  ClientKeyStore,
  LearnedStore,
  LeaseStore,
  SettingsStore,
  StoreStats,
  StreamStore,
  Upkeep,
} from "./server-store/beside.ts";
import type { ConversationStore } from "./server-store/conversations.ts";
import type { RequestStore } from "./server-store/requests.ts";

export type * from "./server-store/beside.ts";
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
   * The index of the words of all messages of a tenant, or of one conversation. `searchIndex` of `precis/recall` ranks what it finds.
   * What was appended just before is found, too.
   */
  recallIndex(tenant: string, options?: { readonly conversation?: string }): RecallIndex;
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
