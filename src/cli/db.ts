import { once } from "node:events";
import { createWriteStream, lstatSync, statSync } from "node:fs";
import type { GatewayConfig } from "../config/gateway-schema.ts";
import { defined } from "../core/collections.ts";
import type { Imported, ServerStore, StoreStats } from "../stores/server-store.ts";
import type { COMMANDS } from "./commands.ts";
import { formatCount, formatTime } from "./format.ts";
import type { Output } from "./io.ts";
import { withDatabase } from "./open-database.ts";
import { checkReadable, FileError, readLines } from "./read-lines.ts";
import type { Run, RunOf } from "./run.ts";
import { PRIVATE_FILE, written } from "./write-output.ts";

/** Says what was done to the database that the flags name. */
async function doTo(
  run: Run<(typeof COMMANDS)["db vacuum"]["flags"]>,
  work: (
    store: ServerStore,
    database: string,
    config: GatewayConfig,
  ) => Promise<readonly [value: unknown, text: string]>,
  create = false,
): Promise<void> {
  await withDatabase(run, { create }, async (store, database, config) => {
    const [value, text] = await work(store, database, config);
    run.print(value, () => `${text}\n`);
  });
}

export const status = (run: RunOf<"db status">): Promise<void> =>
  doTo(run, async ({ upkeep }, database) => {
    const stats = await upkeep.stats(run.options.tenant);
    return [{ database, ...stats }, statusText(database, stats)];
  });

export const backup = (run: RunOf<"db backup">): Promise<void> =>
  doTo(run, async ({ upkeep }, database) => {
    const [file = ""] = run.args;
    await upkeep.backup(file);
    const { size: bytes } = statSync(file);
    return [{ file, bytes }, `${file} is a copy of ${database} (${formatBytes(bytes)}).`];
  });

export async function importAll(run: RunOf<"db import">): Promise<void> {
  const [file = ""] = run.args;
  // Before the database: a name that is wrong would leave an empty one behind.
  await checkReadable(file);
  const work = async ({ upkeep }: ServerStore, database: string) => {
    const lines = readLines(file, run.io, () => {});
    const value = await upkeep.importAll(lines, { clientKeys: run.options.withKeys === true });
    const added = `${formatCount(value.lines)} lines read, ${formatCount(value.added)} rows added to ${database}.`;
    return [value, added + keysText(value.clientKeys)] as const;
  };
  await doTo(run, work, true);
}

export const sweep = (run: RunOf<"db sweep">): Promise<void> =>
  doTo(run, async ({ upkeep }, _, config) => {
    const { tenant, olderThan: ms } = run.options;
    const { sweepTimes } = await import("../config/gateway-schema.ts");
    const older = defined({ conversationsMs: ms, requestsMs: ms, recordsMs: ms });
    const value = await upkeep.sweep({ ...sweepTimes(config), ...older, ...defined({ tenant }) });
    const { conversations, requests, records, leases } = value;
    return [
      value,
      `Removed ${formatCount(conversations)} conversations, ${formatCount(requests)} requests, ${formatCount(records)} records and ${formatCount(leases)} leases.`,
    ];
  });

export const vacuum = (run: RunOf<"db vacuum">): Promise<void> =>
  doTo(run, async ({ upkeep }) => {
    const before = (await upkeep.stats()).bytes ?? 0;
    await upkeep.vacuum();
    const after = (await upkeep.stats()).bytes ?? 0;
    return [{ before, after }, `${formatBytes(before)} before, ${formatBytes(after)} after.`];
  });

function keysText({ added, leftOut }: Imported["clientKeys"]): string {
  const named = (count: number) => (count === 1 ? "1 client key" : `${formatCount(count)} client keys`);
  if (added > 0) return `\nThis includes ${named(added)}, valid from now on.`;
  if (leftOut > 0) return `\n${named(leftOut)} left out. --with-keys imports them, too.`;
  return "";
}

export async function exportAll(run: RunOf<"db export">): Promise<void> {
  const { io, options } = run;
  const { out, tenant } = options;
  await withDatabase(run, { create: false }, async ({ upkeep }) => {
    const writeTo = async (output: Output): Promise<void> => {
      for await (const line of upkeep.exportAll(defined({ tenant }))) {
        io.signal.throwIfAborted();
        await writeAll(output, `${line}\n`);
      }
    };
    if (out === undefined) return writeTo(io.stdout);
    if (lstatSync(out, { throwIfNoEntry: false }))
      throw new FileError(`${out} exists already. Choose another file.`);
    await written(out, async (path) => {
      const file = createWriteStream(path, { flags: "wx", mode: PRIVATE_FILE });
      try {
        await once(file, "open");
        await writeTo(file);
        file.end();
        await once(file, "finish");
      } finally {
        file.destroy();
      }
    });
  });
}

/** An export may be larger than memory: waits while the reader is slower than the database. */
async function writeAll(output: Output, text: string): Promise<void> {
  if (output.write(text) === false && "once" in output)
    await once(output as unknown as NodeJS.EventEmitter, "drain");
}

function statusText(database: string, stats: StoreStats): string {
  const { counts } = stats;
  const rows: (readonly [string, string])[] = [
    ["database", `${database} (${stats.kind}, schema ${stats.schema})`],
    ["size", stats.bytes === undefined ? "in memory" : formatBytes(stats.bytes)],
    ["newest", stats.updatedAt === undefined ? "nothing yet" : formatTime(stats.updatedAt)],
    ["tenants", formatCount(stats.tenants)],
    ["conversations", formatCount(counts.conversations)],
    ["messages", `${formatCount(counts.messages)} (${formatCount(counts.bodies)} texts)`],
    ["checkpoints", `${formatCount(counts.checkpoints)} (${formatCount(counts.undos)} undone)`],
    ["summaries", formatCount(counts.summaries)],
    ["client keys", formatCount(counts.clientKeys)],
    ["leases", formatCount(counts.leases)],
  ];
  const width = Math.max(...rows.map(([name]) => name.length)) + 2;
  return rows.map(([name, value]) => `${name.padEnd(width)}${value}`).join("\n");
}

const BYTES_PER_KB = 1_000;

function formatBytes(bytes: number): string {
  if (bytes < BYTES_PER_KB) return `${bytes} B`;
  if (bytes < BYTES_PER_KB ** 2) return `${(bytes / BYTES_PER_KB).toFixed(1)} kB`;
  if (bytes < BYTES_PER_KB ** 3) return `${(bytes / BYTES_PER_KB ** 2).toFixed(1)} MB`;
  return `${(bytes / BYTES_PER_KB ** 3).toFixed(2)} GB`;
}
