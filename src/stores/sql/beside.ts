import type { LearnedStore, LearnedValue, LeaseStore, SettingsStore, StreamStore } from "../server-store.ts";
import { STREAM_LINES, STREAMS_OF_TENANT } from "../shared/pages.ts";
import { checkName, cleanText } from "../shared/texts.ts";
import { firstRow, insertValues, putRow, rows, type Script } from "./script.ts";
import type { SqlContext } from "./sql-context.ts";

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
        const held = yield* firstRow<{ readonly expires_at: number; readonly fence: number }>(
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
        return held && { name, owner, expiresAt: held.expires_at, fence: held.fence };
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

/** Rows of a tenant that stay. Models are named by clients, who may make names up. */
const LEARNED_OF_TENANT = 1_000;
/** Rows that a server reads at once. */
const LEARNED_AT_ONCE = 10_000;

export function sqlLearned({ read, write }: SqlContext): LearnedStore {
  return {
    list: (since = 0) =>
      read("learned.list", function* () {
        const found = yield* rows<Omit<LearnedValue, "value"> & { readonly json: string }>(
          "select * from precis_learned where at > ? order by at desc limit ?",
          Math.round(since),
          LEARNED_AT_ONCE,
        );
        return found.map(({ json, ...of }) => ({ ...of, value: JSON.parse(json) as unknown }));
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
        for (const tenant of new Set(learned.map((one) => one.tenant)))
          yield* removeAllBut(LEARNED_OF_TENANT, "precis_learned", "at", tenant);
      }),
  };
}

/** The newest of a tenant stay, so that none pushes out what others have. */
function* removeAllBut(most: number, table: string, column: string, tenant: string): Script<void> {
  yield* rows(
    `delete from ${table} where tenant = ? and ${column} <
     (select ${column} from ${table} where tenant = ? order by ${column} desc limit 1 offset ?)`,
    tenant,
    tenant,
    most - 1,
  );
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
        if (from === 0) yield* removeAllBut(STREAMS_OF_TENANT, "precis_streams", "used_at", tenant);
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
