import type { ServerStore } from "../server-store.ts";
import { timeOrderedId } from "../shared/time-ordered-id.ts";
import { sqlCitations, sqlEvents, sqlLearned, sqlLeases, sqlSettings, sqlStreams } from "./beside.ts";
import { type Bounds, bounded } from "./bounds.ts";
import { sqlClientKeys } from "./client-keys.ts";
import { sqlConversations } from "./conversations.ts";
import { sqlRecall } from "./recall/sql-recall.ts";
import { forgetSummaries, sqlRecords } from "./records.ts";
import { sqlRequests } from "./requests.ts";
import { createSqlContext, type StoreEffects } from "./sql-context.ts";
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
    recallIndex: (tenant, { conversation } = {}) => sqlRecall(context, tenant, conversation),
    conversations: sqlConversations(context),
    requests: sqlRequests(context),
    events: sqlEvents(context),
    citations: sqlCitations(context),
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
