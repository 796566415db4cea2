import { StoreError } from "../../core/errors.ts";
import type { Retention, StoreCount, StoreStats, Swept, Upkeep } from "../server-store.ts";
import { LEASE_MEMORY_MS } from "../shared/pages.ts";
import { collectTexts } from "./bodies.ts";
import { hideConversation, removeMessages } from "./conversations.ts";
import { exportAll, importAll, tenantsOf } from "./export-import.ts";
import { sumUpRequests, sweepRequests } from "./requests.ts";
import { SCHEMA_VERSION } from "./schema.ts";
import { allOf, firstRow, rows, type Script } from "./script.ts";
import type { SqlContext } from "./sql-context.ts";
import { keyOfNode } from "./tree.ts";

/** Conversations that one transaction of a sweep removes, so that nobody waits long for it. */
const CONVERSATIONS_PER_SWEEP = 50;

/** What was learned of a model is forgotten after so long: providers change (milliseconds). */
const LEARNED_MS = 30 * 24 * 60 * 60_000;

const COUNTED = {
  conversations: "precis_conversations where true",
  messages: `precis_nodes n join precis_conversations c on c.key = ${keyOfNode("n.id")} where true`,
  bodies: "precis_bodies where true",
  checkpoints: "precis_records where kind = 'checkpoint'",
  summaries: "precis_records where kind = 'summary'",
  undos: "precis_records where kind = 'undo'",
  leases: "precis_leases where true",
  clientKeys: "precis_client_keys where true",
} as const satisfies Record<StoreCount, string>;

export function sqlUpkeep(context: SqlContext): Upkeep {
  const { engine, read, run } = context;
  return {
    sweep: (retention = {}) => sweep(context, retention),
    async stats(tenant) {
      const counted = await read("stats", () => stats(tenant));
      return { kind: engine.kind, ...counted, bytes: await run("stats", () => engine.bytes()) };
    },
    activeTenants: (since) =>
      read("activeTenants", function* () {
        const found = yield* rows<{ readonly tenant: string }>(
          "select distinct tenant from precis_conversations where updated_at >= ?",
          Math.round(since),
        );
        return found.map(({ tenant }) => tenant).sort();
      }),
    vacuum: () => run("vacuum", () => engine.vacuum()),
    backup: (file) =>
      run("backup", async () => {
        if (!engine.backup)
          throw noBackup("Use `precis db export`, or the database's own tools (`pg_dump`).");
        await engine.backup(file);
      }),
    exportAll: (options = {}) => exportAll(context, options),
    importAll: (lines, options) => importAll(context, lines, options),
  };
}

async function sweep(context: SqlContext, retention: Retention): Promise<Swept> {
  const { engine, now, run, write } = context;
  const { tenant, conversationsMs, requestsMs, recordsMs } = retention;
  const at = now();
  const conversations = await sweepConversations(context, tenant, at, conversationsMs);
  const swept = await write("sweep", function* () {
    const records = recordsMs === undefined ? 0 : yield* sweepRecords(tenant, at - recordsMs);
    if (conversationsMs !== undefined)
      yield* removeOld("precis_streams", "used_at", at - conversationsMs, tenant);
    const ended = "delete from precis_leases where expires_at <= ? returning tenant";
    yield* removeOld("precis_learned", "at", at - LEARNED_MS, tenant);
    const leases = (yield* rows(ended, at - LEASE_MEMORY_MS)).length;
    return { records, leases };
  });
  await sumUpRequests(context);
  const requests = requestsMs === undefined ? 0 : await sweepRequests(context, at - requestsMs, tenant);
  await collectTexts(context);
  if (conversations + swept.records > 0) await run("sweep", async () => engine.scrub?.());
  return { conversations, requests, ...swept };
}

async function sweepConversations(
  { engine, write }: SqlContext,
  tenant: string | undefined,
  at: number,
  ms: number | undefined,
): Promise<number> {
  const before = ms === undefined ? undefined : at - ms;
  const { where, values } = allOf(
    before === undefined
      ? ["expires_at <= ?", at]
      : [
          `(expires_at <= ? or (updated_at < ? and created_at < ? and (stored_at is null or stored_at < ?) and pinned = 0))`,
          at,
          before,
          before,
          before,
        ],
    ["tenant = ?", tenant],
  );
  for (let total = 0; ; ) {
    const removed = await write("sweep", function* () {
      const found = yield* rows<{ readonly tenant: string; readonly id: string }>(
        `select tenant, id from precis_conversations where ${where} limit ${CONVERSATIONS_PER_SWEEP}`,
        ...values,
      );
      // One tenant after the other, as on every other node: each has a lock.
      const inOrder = found.toSorted((a, b) => (a.tenant < b.tenant ? -1 : a.tenant > b.tenant ? 1 : 0));
      for (const one of inOrder) yield* hideConversation(engine, one.tenant, one.id);
      return found.length;
    });
    total += removed;
    // With those whose server stopped before they were gone.
    while (await write("sweep", () => removeMessages(engine)));
    if (removed < CONVERSATIONS_PER_SWEEP) return total;
  }
}

/** Removes rows of a table whose time is before another one; returns how many they were. */
function* removeOld(
  table: string,
  column: string,
  before: number,
  tenant: string | undefined,
): Script<number> {
  const { where, values } = allOf([`${column} < ?`, before], ["tenant = ?", tenant]);
  return (yield* rows(`delete from ${table} where ${where} returning tenant`, ...values)).length;
}

/** Those of a library, which stand on no stored message. */
function* sweepRecords(tenant: string | undefined, before: number): Script<number> {
  const { where, values } = allOf(["node is null and saved_at < ?", before], ["tenant = ?", tenant]);
  return (yield* rows(`delete from precis_records where ${where} returning tenant`, ...values)).length;
}

function* stats(tenant: string | undefined): Script<Omit<StoreStats, "kind" | "bytes">> {
  const { where, values } = allOf(["true"], ["tenant = ?", tenant]);
  const count = function* (from: string): Script<number> {
    const row = yield* firstRow<{ readonly count: number }>(
      `select count(*) as count from ${from} and ${where}`,
      ...values,
    );
    return row?.count ?? 0;
  };
  const counts = {} as Record<StoreCount, number>;
  for (const [name, table] of Object.entries(COUNTED)) counts[name as StoreCount] = yield* count(table);
  const newest = yield* firstRow<{ readonly at: number | null }>(
    `select max(updated_at) as at from precis_conversations where ${where}`,
    ...values,
  );
  const tenants = yield* tenantsOf();
  return {
    schema: SCHEMA_VERSION,
    tenants: tenants.filter((one) => tenant === undefined || one === tenant).length,
    counts,
    updatedAt: newest?.at ?? undefined,
  };
}

/** There is no file to copy. */
function noBackup(fix: string): StoreError {
  return new StoreError({ operation: "backup", message: "only an SQLite file can be copied.", fix });
}
