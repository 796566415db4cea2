import type { Selectable } from "kysely";
import type { EventStore, StoredEvent } from "../server-store.ts";
import { checkEventQuery } from "../shared/check-event-query.ts";
import { checkName } from "../shared/check-name.ts";
import { EVENTS, pageSize } from "../shared/limits.ts";
import { conversationNotFound } from "../shared/not-found.ts";
import type { EventTable } from "./schema.ts";
import type { SqlContext } from "./sql-context.ts";

export function sqlEvents({ engine, read, write }: SqlContext): EventStore {
  return {
    append: (tenant, { type, conversation, at, data }) =>
      write("events.append", async (tx) => {
        checkName("events.append", "tenant", tenant);
        checkName("events.append", "type", type);
        const json = JSON.stringify(data ?? null);
        if (conversation !== undefined) {
          // Also keeps a deletion that runs at the same time waiting, so that no event outlives its conversation.
          const row = await tx
            .selectFrom("precis_conversations")
            .select("id")
            .where("tenant", "=", tenant)
            .where("id", "=", conversation)
            .$if(engine.lockRows === true, (query) => query.forKeyShare())
            .executeTakeFirst();
          if (!row) throw conversationNotFound("events.append", conversation);
        }
        // The counter's row stays locked until the commit, so ids become visible in their order. With a sequence,
        // a reader that has seen 6 could miss a 5 that is committed later.
        const { last_event } = await tx
          .insertInto("precis_tenants")
          .values({ tenant, last_event: 1 })
          .onConflict((c) =>
            c.column("tenant").doUpdateSet((e) => ({ last_event: e("precis_tenants.last_event", "+", 1) })),
          )
          .returning("last_event")
          .executeTakeFirstOrThrow();
        const id = Number(last_event);
        await tx
          .insertInto("precis_events")
          .values({ tenant, id, conversation: conversation ?? null, type, at: Math.round(at), data: json })
          .execute();
        return id;
      }),

    list: (tenant, query = {}) =>
      read("events.list", async (db) => {
        checkEventQuery(query);
        const { after = 0, before, type, conversation, newest = false, limit } = query;
        const rows = await db
          .selectFrom("precis_events")
          .selectAll()
          .where("tenant", "=", tenant)
          .where("id", ">", after)
          .$if(before !== undefined, (query) => query.where("id", "<", before ?? 0))
          .$if(type !== undefined, (query) => query.where("type", "=", type ?? ""))
          .$if(conversation !== undefined, (query) => query.where("conversation", "=", conversation ?? ""))
          .orderBy("id", newest ? "desc" : "asc")
          .limit(pageSize(limit, EVENTS))
          .execute();
        if (newest) rows.reverse();
        return rows.map(eventOf);
      }),
  };
}

/** A row as the outside sees it. */
export function eventOf(row: Selectable<EventTable>): StoredEvent {
  return {
    id: Number(row.id),
    type: row.type,
    conversation: row.conversation ?? undefined,
    at: Number(row.at),
    data: JSON.parse(row.data) as unknown,
  };
}
