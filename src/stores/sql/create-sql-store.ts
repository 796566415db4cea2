import type { ServerStore } from "../server-store.ts";
import { timeOrderedId } from "../shared/time-ordered-id.ts";
import { sqlLearned, sqlLeases, sqlSettings, sqlStreams } from "./beside.ts";
import { sqlClientKeys } from "./client-keys.ts";
import { hideConversation, removeMessages, sqlConversations } from "./conversations.ts";
import { sqlRecall } from "./recall/sql-recall.ts";
import { forgetSummaries, sqlRecords } from "./records.ts";
import { sqlRequests } from "./requests.ts";
import { rows } from "./script.ts";
import { createSqlContext, type SqlContext, type StoreEffects } from "./sql-context.ts";
import type { SqlEngine } from "./sql-engine.ts";
import { sqlUpkeep } from "./upkeep.ts";

/** Options that every store has. */
export interface ServerStoreOptions {
  /** The tenant whose records the store's own `find` and `save` mean. Default `default`. */
  readonly tenant?: string;
  /** The clock, in milliseconds. Default `Date.now`. */
  readonly now?: () => number;
  /** Makes ids. Default: UUIDs of version 7. */
  readonly newId?: () => string;
}

const DEFAULT_TENANT = "default";

/** The one code path of all SQL databases. */
export function createSqlStore(
  engine: SqlEngine,
  { bounds, ...options }: ServerStoreOptions & { readonly bounds?: Bounds },
): ServerStore {
  const effects: StoreEffects = {
    now: options.now ?? Date.now,
    newId: options.newId ?? timeOrderedId,
  };
  const context = createSqlContext(engine, effects);
  const own = sqlRecords(context, options.tenant ?? DEFAULT_TENANT, { strict: false });
  const store: ServerStore = {
    kind: engine.kind,
    ...own,
    ready: context.ready,
    records: (tenant) => sqlRecords(context, tenant, { strict: true }),
    expect: context.early.expect,
    forgetSummaries: (tenant, hashes) =>
      context.write("forgetSummaries", () => forgetSummaries(engine, tenant, hashes)),
    recallIndex: (tenant, scope) => sqlRecall(context, tenant, scope),
    conversations: sqlConversations(context),
    requests: sqlRequests(context),
    leases: sqlLeases(context),
    clientKeys: sqlClientKeys(context),
    settings: sqlSettings(context),
    streams: sqlStreams(context),
    learned: sqlLearned(context),
    upkeep: sqlUpkeep(context),
    close: context.close,
  };
  return bounds ? bounded(store, context, bounds) : store;
}

/** What a store in memory may hold of one tenant. */
export interface Bounds {
  readonly conversations: number;
  /** Records that stand on no stored message. */
  readonly records: number;
  readonly requests: number;
}

/** Rows of requests are looked through for too old ones each time so many have come. */
const REQUESTS_BETWEEN = 256;

/** The same store, which forgets what is older than its bounds allow. */
function bounded(store: ServerStore, { engine, write }: SqlContext, bounds: Bounds): ServerStore {
  const { conversations, requests } = store;
  const fresh = new Map<string, number>();
  const noteRequests = async (tenant: string, count: number): Promise<void> => {
    const more = (fresh.get(tenant) ?? 0) + count;
    fresh.set(tenant, more % REQUESTS_BETWEEN);
    if (more >= REQUESTS_BETWEEN)
      await write("requests.add", () =>
        rows(
          `delete from precis_requests where tenant = ? and id <= (
             select id from precis_requests where tenant = ? order by id desc limit 1 offset ?)`,
          tenant,
          tenant,
          bounds.requests,
        ),
      );
  };
  const trimConversations = async (tenant: string): Promise<void> => {
    const isAny = await write("append", function* () {
      const quiet = yield* rows<{ readonly id: string }>(
        "select id from precis_conversations where tenant = ? order by pinned desc, updated_at desc, id desc limit -1 offset ?",
        tenant,
        bounds.conversations,
      );
      for (const { id } of quiet) yield* hideConversation(engine, tenant, id);
      return quiet.length > 0;
    });
    while (isAny && (await write("append", () => removeMessages(engine))));
  };
  return {
    ...store,
    conversations: {
      ...conversations,
      async append(tenant, input) {
        const appended = await conversations.append(tenant, input);
        if (input.request) await noteRequests(tenant, 1);
        if (appended.added === appended.length) await trimConversations(tenant);
        return appended;
      },
    },
    requests: {
      ...requests,
      async add(tenant, added) {
        await requests.add(tenant, added);
        await noteRequests(tenant, added.length);
      },
    },
    async save(records) {
      await store.save(records);
      await write("save", () =>
        rows(
          `delete from precis_records where rowid in (
             select rowid from precis_records where node is null order by saved_at desc, rowid desc limit -1 offset ?)`,
          bounds.records,
        ),
      );
    },
  };
}
