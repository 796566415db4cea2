import type { AnswerSizes, Checkpoint, Recalled, Summary, Undo } from "../../core/types.ts";
import type { Citation, ClientKey, Lease, StoredMessage } from "../server-store.ts";
import { checkName } from "../shared/check-name.ts";
import type { ConversationRow } from "../shared/columns.ts";
import { type EventLimits, HeldEvents } from "./held-events.ts";
import { type Held, HeldRecords } from "./held-records.ts";

/** How much a store in memory holds before it forgets the oldest. */
export interface MemoryLimits extends EventLimits {
  readonly conversations: number;
  readonly records: number;
}

export interface TenantData {
  readonly conversations: Map<string, HeldConversation>;
  /** Conversations by the chain hashes of their messages. */
  readonly byHash: Map<string, Set<string>>;
  readonly checkpoints: HeldRecords<Checkpoint>;
  readonly summaries: HeldRecords<Summary>;
  readonly undos: Map<string, Held<Undo>>;
  /** By hash and model. */
  readonly answers: HeldRecords<AnswerSizes>;
  /** By checkpoint and hash. */
  readonly recalled: HeldRecords<Recalled>;
  readonly tombstones: Map<string, number>;
  readonly events: HeldEvents;
  lastEvent: number;
  readonly leases: Map<string, Lease>;
  /** By the hash of the key. */
  readonly clientKeys: Map<string, ClientKey>;
}

export interface HeldConversation {
  /** Its `head` is the text itself. */
  row: ConversationRow;
  readonly messages: StoredMessage[];
  readonly citations: Citation[];
}

/** What every group of methods works with. */
export interface MemoryContext {
  readonly tenants: Map<string, TenantData>;
  readonly limits: MemoryLimits;
  now(): number;
  newId(): string;
  /** The tenant's data, made if there is none. Throws once the store is closed. */
  of(operation: string, tenant: string): TenantData;
}

export function createMemoryContext(
  effects: Pick<MemoryContext, "now" | "newId">,
  limits: MemoryLimits,
  assertOpen: (operation: string) => void,
): MemoryContext {
  const tenants = new Map<string, TenantData>();
  return {
    ...effects,
    limits,
    tenants,
    of(operation, tenant) {
      assertOpen(operation);
      const known = tenants.get(tenant);
      if (known) return known;
      const made: TenantData = {
        conversations: new Map(),
        byHash: new Map(),
        checkpoints: new HeldRecords(),
        summaries: new HeldRecords(),
        undos: new Map(),
        answers: new HeldRecords(),
        recalled: new HeldRecords(),
        tombstones: new Map(),
        events: new HeldEvents(),
        lastEvent: 0,
        leases: new Map(),
        clientKeys: new Map(),
      };
      tenants.set(checkName(operation, "tenant", tenant), made);
      return made;
    },
  };
}

/** The conversation that changed last; of several, the one that was made last. */
export function newestOf(
  { conversations }: TenantData,
  test: (held: HeldConversation) => boolean,
): HeldConversation | undefined {
  let newest: HeldConversation | undefined;
  for (const held of conversations.values()) {
    if (!test(held)) continue;
    if (!newest || held.row.updated_at >= newest.row.updated_at) newest = held;
  }
  return newest;
}
