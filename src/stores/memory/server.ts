import { StoreError } from "../../core/errors.ts";
import { forgetOldest } from "../../core/keep-newest.ts";
import type { Store } from "../../core/types.ts";
import { dialectById } from "../../dialects/dialect-by-id.ts";
import type { FoundMessage, RecallIndex } from "../../recall/candidates.ts";
import { createMemoryIndex } from "../../recall/memory-index.ts";
import { readHead } from "../../recall/stored-head.ts";
import type { ServerStore } from "../server-store.ts";
import { readWire } from "../shared/read-wire.ts";
import { memoryCitations, memoryClientKeys, memoryEvents, memoryLeases } from "./beside.ts";
import { memoryConversations } from "./conversations.ts";
import { createMemoryContext, type HeldConversation, type MemoryContext } from "./tenant-data.ts";
import { memoryUpkeep } from "./upkeep.ts";

/** What `memoryServerStore` takes. */
export interface MemoryServerStoreOptions {
  /** The tenant whose records the store's own `find` and `save` mean. Default `default`. */
  readonly tenant?: string;
  /** The clock, in milliseconds. Default `Date.now`. */
  readonly now?: () => number;
  /** Makes ids. Default `crypto.randomUUID`. */
  readonly newId?: () => string;
  /** Conversations per tenant before the one that is quiet for longest is forgotten. Default 1,000. */
  readonly maxConversations?: number;
  /** Records of each kind per tenant before the oldest are forgotten. Default 10,000. */
  readonly maxRecords?: number;
  /** Events per tenant before the oldest are forgotten; also forgotten if they hold more than 32 million characters. Default 10,000. */
  readonly maxEvents?: number;
}

const DEFAULTS = { conversations: 1_000, records: 10_000, events: 10_000 } as const;
/** Characters of all events of a tenant; about twice as many bytes. */
const EVENT_CHARACTERS = 32_000_000;

/**
 * A bounded server store in memory, for servers that shall keep nothing. Nothing of Node is needed.
 *
 * @example
 * ```ts
 * import { memoryServerStore } from "@precis/gateway/stores";
 *
 * const store = memoryServerStore({ maxConversations: 100 });
 * const at = Date.now();
 * const wire = JSON.stringify({ role: "user", content: "hello" });
 * await store.conversations.append("team-a", { messages: [{ hash: "h1", role: "user", wire, at }], at });
 * ```
 */
export function memoryServerStore(options: MemoryServerStoreOptions = {}): ServerStore {
  let isClosed = false;
  const assertOpen = (operation: string) => {
    if (!isClosed) return;
    throw new StoreError({ operation, message: "the store is closed.", fix: "Close it after its last use." });
  };
  const context = createMemoryContext(
    { now: options.now ?? Date.now, newId: options.newId ?? (() => crypto.randomUUID()) },
    {
      conversations: options.maxConversations ?? DEFAULTS.conversations,
      records: options.maxRecords ?? DEFAULTS.records,
      events: options.maxEvents ?? DEFAULTS.events,
      eventCharacters: EVENT_CHARACTERS,
    },
    assertOpen,
  );
  return {
    kind: "memory",
    ...memoryRecords(context, options.tenant ?? "default"),
    ready: async () => assertOpen("open"),
    records: (tenant) => memoryRecords(context, tenant),
    async forgetSummaries(tenant, hashes) {
      const { summaries } = context.of("forgetSummaries", tenant);
      const gone = new Set(hashes);
      for (const [key, { record }] of summaries) if (gone.has(record.hash)) summaries.delete(key);
    },
    recallIndex: (tenant, { conversation } = {}) => memoryRecall(context, tenant, conversation),
    conversations: memoryConversations(context),
    events: memoryEvents(context),
    citations: memoryCitations(context),
    leases: memoryLeases(context),
    clientKeys: memoryClientKeys(context),
    upkeep: memoryUpkeep(context),
    async close() {
      isClosed = true;
      context.tenants.clear();
    },
  };
}

/** Reads everything at each search: what is kept in memory is little. */
function memoryRecall(context: MemoryContext, tenant: string, conversation: string | undefined): RecallIndex {
  return {
    async candidates() {
      const { conversations } = context.of("recall", tenant);
      const held =
        conversation === undefined ? [...conversations.values()] : [conversations.get(conversation)];
      const index = createMemoryIndex();
      const messages = held.flatMap((one) => (one ? messagesOf(one) : []));
      for (const { message } of messages) index.add(message);
      return { statistics: index.statistics, messages };
    },
  };
}

function messagesOf({ row, messages }: HeldConversation): FoundMessage[] {
  const dialect = dialectById(row.dialect ?? "openai-chat");
  const lead = readHead(dialect, row.head ?? undefined).lead.length;
  return messages.flatMap(({ position, wire }) => {
    const message = readWire(dialect, wire);
    return message ? [{ conversation: row.id, index: position + lead, lead, message }] : [];
  });
}

function memoryRecords(context: MemoryContext, tenant: string): Store {
  return {
    async find(hashes) {
      const data = context.of("find", tenant);
      const { checkpoints: made, summaries, recalled } = data;
      const isEmpty = made.size + summaries.size + recalled.size === 0;
      const wanted = isEmpty ? [] : [...new Set(hashes)];
      const checkpoints = made.withHashes(wanted);
      // They stand on the first message.
      const answers = data.answers.withHashes(hashes.slice(0, 1));
      return {
        checkpoints,
        summaries: summaries.withHashes(wanted),
        undos: checkpoints.flatMap((one) => data.undos.get(one.id)?.record ?? []),
        ...(answers.length > 0 && { answers }),
        recalled: recalled.withHashes(wanted),
      };
    },
    async save({ checkpoints = [], summaries = [], undos = [], answers = [], recalled = [] }) {
      const data = context.of("save", tenant);
      const savedAt = context.now();
      for (const record of checkpoints)
        if (!data.tombstones.has(record.hash)) data.checkpoints.set(record.id, { record, savedAt });
      for (const record of summaries)
        if (!data.tombstones.has(record.hash)) data.summaries.set(record.key, { record, savedAt });
      for (const record of undos) data.undos.set(record.checkpoint, { record, savedAt });
      for (const record of answers)
        if (!data.tombstones.has(record.hash))
          data.answers.set(`${record.hash} ${record.model}`, { record, savedAt });
      for (const record of recalled)
        if (!data.tombstones.has(record.hash))
          data.recalled.set(`${record.checkpoint} ${record.hash}`, { record, savedAt });
      for (const map of [data.checkpoints, data.summaries, data.undos, data.answers, data.recalled])
        forgetOldest(map, context.limits.records);
    },
  };
}
