import type { ServerStore } from "../server-store.ts";
import { deleteConversation } from "./delete-conversation.ts";
import { rows, type Script } from "./script.ts";
import type { SqlContext } from "./sql-context.ts";
import type { SqlEngine } from "./sql-engine.ts";

/** What a store in memory may hold of one tenant. */
export interface Bounds {
  readonly conversations: number;
  /** Records that stand on no stored message. */
  readonly records: number;
  readonly events: number;
}

/** The same store, which forgets what is older than its bounds allow. */
export function bounded(store: ServerStore, { engine, write }: SqlContext, bounds: Bounds): ServerStore {
  const { conversations, events } = store;
  return {
    ...store,
    conversations: {
      ...conversations,
      async append(tenant, input) {
        const appended = await conversations.append(tenant, input);
        if (appended.added === appended.length)
          await write("append", () => trimConversations(engine, tenant, bounds.conversations));
        return appended;
      },
    },
    events: {
      ...events,
      async append(tenant, event) {
        const id = await events.append(tenant, event);
        await write("events.append", () =>
          rows(
            `delete from precis_events where tenant = ? and id <= (
               select id from precis_events where tenant = ? order by id desc limit 1 offset ?)`,
            tenant,
            tenant,
            bounds.events,
          ),
        );
        return id;
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

function* trimConversations(engine: SqlEngine, tenant: string, most: number): Script<void> {
  const quiet = yield* rows<{ readonly id: string }>(
    "select id from precis_conversations where tenant = ? order by updated_at desc, id desc limit -1 offset ?",
    tenant,
    most,
  );
  for (const { id } of quiet) yield* deleteConversation(engine, tenant, id);
}
