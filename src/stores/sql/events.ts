import type { EventStore, StoredEvent } from "../server-store.ts";
import { checkEventQuery } from "../shared/check-event-query.ts";
import { checkName } from "../shared/check-name.ts";
import { EVENTS, pageSize } from "../shared/limits.ts";
import { conversationNotFound } from "../shared/not-found.ts";
import { holdConversation } from "./conversation-row.ts";
import { allOf, firstRow, rows, type Script } from "./script.ts";
import type { SqlContext } from "./sql-context.ts";

export function sqlEvents({ engine, read, write }: SqlContext): EventStore {
  return {
    append: (tenant, { conversation, ...event }) =>
      write("events.append", function* () {
        checkName("events.append", "tenant", tenant);
        checkName("events.append", "type", event.type);
        // Also keeps a deletion that runs at the same time waiting, so that no event outlives its conversation.
        if (
          conversation !== undefined &&
          !(yield* holdConversation(engine, tenant, conversation, "for key share"))
        )
          throw conversationNotFound("events.append", conversation);
        // The counter's row stays locked until the commit, so ids become visible in their order. With a sequence,
        // a reader that has seen 6 could miss a 5 that is committed later.
        const counter = yield* firstRow<{ last_event: number | string }>(
          `insert into precis_tenants (tenant, last_event) values (?, 1)
           on conflict (tenant) do update set last_event = precis_tenants.last_event + 1 returning last_event`,
          tenant,
        );
        const id = Number(counter?.last_event);
        yield* insertEvent(tenant, { ...event, id, conversation });
        return id;
      }),

    list: (tenant, query = {}) =>
      read("events.list", function* () {
        checkEventQuery(query);
        const { after = 0, before, type, conversation, newest = false, limit } = query;
        const { where, values } = allOf(
          ["tenant = ?", tenant],
          ["id > ?", after],
          ["id < ?", before],
          ["type = ?", type],
          ["conversation = ?", conversation],
        );
        const found = yield* rows<EventRow>(
          `select * from precis_events where ${where} order by id ${newest ? "desc" : "asc"} limit ?`,
          ...values,
          pageSize(limit, EVENTS),
        );
        return (newest ? found.toReversed() : found).map(eventOf);
      }),
  };
}

export function* insertEvent(
  tenant: string,
  { id, conversation, type, at, data }: StoredEvent,
): Script<void> {
  yield* rows(
    "insert into precis_events (tenant, id, conversation, type, at, data) values (?, ?, ?, ?, ?, ?)",
    tenant,
    id,
    conversation ?? null,
    type,
    Math.round(at),
    JSON.stringify(data ?? null),
  );
}

export interface EventRow {
  readonly id: number | string;
  readonly conversation: string | null;
  readonly type: string;
  readonly at: number | string;
  readonly data: string;
}

/** A row as the outside sees it. */
export function eventOf({ id, type, conversation, at, data }: EventRow): StoredEvent {
  return {
    id: Number(id),
    type,
    conversation: conversation ?? undefined,
    at: Number(at),
    data: JSON.parse(data) as unknown,
  };
}
