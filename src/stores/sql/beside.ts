import { StoreError } from "../../core/errors.ts";
import { contentHash } from "../../core/hash.ts";
import type { EventQuery } from "../server-store/beside.ts";
import type {
  Citation,
  CitationStore,
  EventStore,
  LearnedStore,
  LearnedValue,
  LeaseStore,
  SettingsStore,
  StoredEvent,
  StreamStore,
} from "../server-store.ts";
import { conversationNotFound } from "../shared/not-found.ts";
import { EVENTS, pageSize, STREAM_LINES } from "../shared/pages.ts";
import { checkName, cleanText } from "../shared/texts.ts";
import { holdConversation } from "./conversation-row.ts";
import { allOf, firstRow, insertValues, putRow, rows, type Script } from "./script.ts";
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

/** Refuses places in the list of events that none can have. */
function checkEventQuery(query: EventQuery): void {
  for (const name of ["after", "before"] as const) {
    const id = query[name];
    if (id === undefined || Number.isSafeInteger(id)) continue;
    throw new StoreError({
      operation: "events.list",
      message: `\`${name}\` is ${id}.`,
      fix: "Give the id of an event, or leave it out.",
    });
  }
}

export function sqlCitations({ engine, read, write }: SqlContext): CitationStore {
  return {
    register: (tenant, conversation, sources) =>
      write("citations.register", function* () {
        // Numbers are given under the conversation's lock: two nodes never give the same one twice.
        if (!(yield* holdConversation(engine, tenant, conversation, "for update")))
          throw conversationNotFound("citations.register", conversation);
        const known = new Map((yield* listCitations(tenant, conversation)).map((one) => [one.source, one]));
        const registered: Citation[] = [];
        for (const { source: given, title, number } of sources) {
          const source = cleanText(given);
          let citation = known.get(source);
          if (!citation) {
            citation = {
              number: citationNumber(known.values(), number),
              source,
              ...(title !== undefined && { title: cleanText(title) }),
            };
            known.set(source, citation);
            yield* insertCitation(tenant, conversation, citation);
          }
          registered.push(citation);
        }
        return registered;
      }),

    list: (tenant, conversation) => read("citations.list", () => listCitations(tenant, conversation)),
  };
}

export function* insertCitation(
  tenant: string,
  conversation: string,
  { number, source, title = null }: Omit<Citation, "title"> & { readonly title?: string | null },
): Script<void> {
  const row = { tenant, conversation, number, source_hash: contentHash(source), source, title };
  yield* putRow("precis_citations", row);
}

export function* listCitations(tenant: string, conversation: string): Script<Citation[]> {
  const found = yield* rows<{ number: number | string; source: string; title: string | null }>(
    "select number, source, title from precis_citations where tenant = ? and conversation = ? order by number",
    tenant,
    conversation,
  );
  return found.map(({ number, source, title }) => ({
    number: Number(number),
    source,
    ...(title !== null && { title }),
  }));
}

/** The number of a new source: the one that it goes by, if that is free, else the next one above all. */
function citationNumber(known: Iterable<Citation>, wanted: number | undefined): number {
  const taken = new Set(Array.from(known, ({ number }) => number));
  if (wanted !== undefined && Number.isSafeInteger(wanted) && wanted > 0 && !taken.has(wanted)) return wanted;
  let last = 0;
  for (const number of taken) last = Math.max(last, number);
  return last + 1;
}

/** Each method is one statement that the database runs whole, so no two owners can both succeed. */
export function sqlLeases({ engine, now, write }: SqlContext): LeaseStore {
  const clock = engine.clock ?? "?";
  const time = () => (engine.clock === undefined ? [now()] : []);
  /** Gives a lease that its owner still has another end. One that has ended may have been promised to another node already. */
  const endAt = (
    operation: string,
    [tenant, name, owner]: readonly [string, string, string],
    expires: string,
    values: () => readonly number[],
  ): Promise<boolean> =>
    write(operation, function* () {
      const changed = yield* rows(
        `update precis_leases set expires_at = ${expires}
         where tenant = ? and name = ? and owner = ? and expires_at > ${clock} returning fence`,
        ...values(),
        tenant,
        name,
        owner,
        ...time(),
      );
      return changed.length > 0;
    });
  return {
    acquire: (tenant, name, owner, ttlMs) =>
      write("leases.acquire", function* () {
        checkName("leases.acquire", "tenant", tenant);
        checkName("leases.acquire", "name", name);
        checkName("leases.acquire", "owner", owner);
        const held = yield* firstRow<{ expires_at: number | string; fence: number | string }>(
          `insert into precis_leases (tenant, name, owner, expires_at, fence) values (?, ?, ?, ${clock} + ?, 1)
           on conflict (tenant, name) do update set owner = excluded.owner, expires_at = excluded.expires_at,
             fence = precis_leases.fence + case when precis_leases.owner = excluded.owner then 0 else 1 end
           where precis_leases.expires_at <= ${clock} or precis_leases.owner = excluded.owner
           returning expires_at, fence`,
          tenant,
          name,
          owner,
          ...time(),
          Math.round(ttlMs),
          ...time(),
        );
        return held && { name, owner, expiresAt: Number(held.expires_at), fence: Number(held.fence) };
      }),

    renew: (tenant, name, owner, ttlMs) =>
      endAt("leases.renew", [tenant, name, owner], `${clock} + ?`, () => [...time(), Math.round(ttlMs)]),

    // The row stays until a sweep, so that the next owner's fence is higher.
    release: (tenant, name, owner) => endAt("leases.release", [tenant, name, owner], "0", () => []),
  };
}

export function sqlSettings({ engine, read, write }: SqlContext): SettingsStore {
  return {
    read: (tenant) => read("settings.read", () => readSettings(tenant)),
    change: (tenant, change) =>
      write("settings.change", function* () {
        checkName("settings.change", "tenant", tenant);
        // There may be no row to lock yet.
        if (engine.lockName !== undefined) yield* rows(engine.lockName, `precis/settings/${tenant}`);
        const changed = change(yield* readSettings(tenant));
        yield* putRow(
          "precis_settings",
          { tenant, json: JSON.stringify(changed ?? null) },
          { key: ["tenant"] },
        );
        return changed;
      }),
  };
}

export function* readSettings(tenant: string): Script<unknown> {
  const row = yield* firstRow<{ readonly json: string }>(
    "select json from precis_settings where tenant = ?",
    tenant,
  );
  return row && (JSON.parse(row.json) as unknown);
}

/** Models are named by clients, who may make names up: only so many rows stay. */
const MOST_LEARNED = 10_000;

export function sqlLearned({ read, write }: SqlContext): LearnedStore {
  return {
    list: (since = 0) =>
      read("learned.list", function* () {
        const found = yield* rows<
          Omit<LearnedValue, "value" | "at"> & { readonly json: string; readonly at: number | string }
        >(
          "select * from precis_learned where at > ? order by at desc limit ?",
          Math.round(since),
          MOST_LEARNED,
        );
        return found.map(({ json, at, ...of }) => ({
          ...of,
          value: JSON.parse(json) as unknown,
          at: Number(at),
        }));
      }),
    put: (learned) =>
      write("learned.put", function* () {
        for (const { tenant, upstream, model, kind, value, at } of learned)
          yield* putRow(
            "precis_learned",
            {
              tenant,
              upstream: cleanText(upstream),
              model: cleanText(model),
              kind,
              at: Math.round(at),
              json: JSON.stringify(value),
            },
            { key: ["tenant", "upstream", "model", "kind"] },
          );
        yield* rows(
          "delete from precis_learned where at < (select at from precis_learned order by at desc limit 1 offset ?)",
          MOST_LEARNED - 1,
        );
      }),
  };
}

const insertLines = insertValues("precis_stream_lines", ["tenant", "stream", "number", "line"]);

export function sqlStreams({ now, read, write }: SqlContext): StreamStore {
  return {
    add: (tenant, stream, from, lines) =>
      write("streams.add", function* () {
        checkName("streams.add", "tenant", tenant);
        checkName("streams.add", "stream", stream);
        const [count, at] = [from + lines.length, Math.round(now())];
        // The number of its lines decides which of two servers goes on with a stream.
        const isNext =
          from === 0
            ? yield* putRow("precis_streams", { tenant, id: stream, lines: count, used_at: at }, "stays")
            : (yield* rows(
                "update precis_streams set lines = ?, used_at = ? where tenant = ? and id = ? and lines = ? returning id",
                count,
                at,
                tenant,
                stream,
                from,
              )).length > 0;
        if (isNext) yield* insertLines(lines.map((line, index) => [tenant, stream, from + index, line]));
        return isNext;
      }),
    read: (tenant, stream, from, most = STREAM_LINES) =>
      read("streams.read", function* () {
        const found = yield* rows<{ readonly line: string }>(
          "select line from precis_stream_lines where tenant = ? and stream = ? and number >= ? order by number limit ?",
          tenant,
          stream,
          from,
          Math.min(most, STREAM_LINES),
        );
        return found.map(({ line }) => line);
      }),
    list: (tenant) =>
      read("streams.list", function* () {
        const found = yield* rows<{ readonly id: string }>(
          "select id from precis_streams where tenant = ? order by used_at desc, id",
          tenant,
        );
        return found.map(({ id }) => id);
      }),
    remove: (tenant, stream) =>
      write("streams.remove", function* () {
        const removed = yield* rows(
          "delete from precis_streams where tenant = ? and id = ? returning id",
          tenant,
          stream,
        );
        return removed.length > 0;
      }),
  };
}
