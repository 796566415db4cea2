import { once } from "node:events";
import { createWriteStream, statSync } from "node:fs";
import { nearest } from "../core/nearest.ts";
import type { Imported, ServerStore, StoreStats } from "../stores/server-store.ts";
import { formatCount } from "./format.ts";
import type { Io, Output } from "./io.ts";
import { DATABASE_FLAGS, withDatabase } from "./open-database.ts";
import type { CommandLine, ParsedFlags } from "./parse-flags.ts";
import { parseAge } from "./parse-tokens.ts";
import { checkReadable, FileError, readLines } from "./read-lines.ts";
import { UsageError } from "./usage-error.ts";
import { PRIVATE_FILE } from "./write-output.ts";

const ACTIONS = ["status", "backup", "export", "import", "sweep", "vacuum"] as const;
/** Those that take a FILE. */
const WITH_FILE: readonly Action[] = ["backup", "import"];
type Action = (typeof ACTIONS)[number];

export const dbLine: CommandLine = {
  name: "db",
  summary: "Looks after the database of precis serve: what is in it, backups, removal of what is old.",
  usage: `precis db ${ACTIONS.join("|")} [flags]`,
  flags: {
    ...DATABASE_FLAGS,
    tenant: { value: "T", help: "only this tenant (all unless told)" },
    out: { value: "FILE", help: "export: write there instead of to stdout" },
    "older-than": {
      value: "AGE",
      help: "sweep: remove what is older (90m, 12h, 30d, 4w); pinned chats stay",
    },
    "with-keys": {
      help: "import: take over the client keys in the file, too, for all tenants that it names",
    },
    json: { help: "print the result as JSON" },
  },
  notes: [
    "status counts what is in it. backup FILE writes a whole copy of an SQLite database, also while a server uses it. export prints everything as lines of JSON, as it is at one moment, and import FILE adds such lines to a database of either kind, client keys only with --with-keys. sweep removes what has expired and, with --older-than, what is older. vacuum gives freed space back to the disk.",
    "A database of an older version is brought up to date when it is opened; one of a newer version is refused.",
  ],
  examples: [
    "precis db status",
    "precis db backup copy.db",
    "precis db export > backup.jsonl",
    "precis db import backup.jsonl --db postgres://precis@db/precis",
    "precis db sweep --older-than 90d && precis db vacuum",
  ],
};

export async function dbCommand(flags: ParsedFlags, io: Io): Promise<void> {
  const [name, file, ...more] = flags.files;
  const action = actionOf(name);
  if (!WITH_FILE.includes(action) && file !== undefined)
    throw new UsageError(`precis db ${action} takes no FILE.`);
  if (action === "backup" && (file === undefined || more.length > 0))
    throw new UsageError("precis db backup needs one FILE, which it makes.");
  if (action === "import" && (file === undefined || more.length > 0))
    throw new UsageError("precis db import needs one FILE (or - for stdin).");
  // Before the database: a name that is wrong would leave an empty one behind.
  if (action === "import") await checkReadable(file ?? "-");
  await withDatabase(flags, io, { create: action === "import" }, async (store, database) => {
    const say = (value: unknown, text: string) =>
      io.stdout.write(flags.has("json") ? `${JSON.stringify(value)}\n` : `${text}\n`);
    switch (action) {
      case "status": {
        const stats = await store.upkeep.stats(flags.value("tenant"));
        say({ database, ...stats }, statusText(database, stats));
        break;
      }
      case "backup": {
        const copy = file ?? "";
        await store.upkeep.backup(copy);
        const { size } = statSync(copy);
        say({ file: copy, bytes: size }, `${copy} holds all of ${database} (${formatBytes(size)}).`);
        break;
      }
      case "export":
        await exportTo(store, flags, io);
        break;
      case "import": {
        const lines = readLines(file ?? "-", io, () => {});
        const imported = await store.upkeep.importAll(lines, { clientKeys: flags.has("with-keys") });
        say(
          imported,
          `${formatCount(imported.lines)} lines read, ${formatCount(imported.added)} things added to ${database}.${keysText(imported.clientKeys)}`,
        );
        break;
      }
      case "sweep": {
        const swept = await sweep(store, flags);
        say(
          swept,
          `Removed ${formatCount(swept.conversations)} conversations, ${formatCount(swept.events)} events, ${formatCount(swept.records)} records and ${formatCount(swept.leases)} leases.`,
        );
        break;
      }
      case "vacuum": {
        const before = (await store.upkeep.stats()).bytes ?? 0;
        await store.upkeep.vacuum();
        const after = (await store.upkeep.stats()).bytes ?? 0;
        say({ before, after }, `${formatBytes(before)} before, ${formatBytes(after)} after.`);
        break;
      }
      default:
        action satisfies never;
    }
  });
}

/** What became of the client keys in an import. */
function keysText({ added, leftOut }: Imported["clientKeys"]): string {
  const named = (count: number) => (count === 1 ? "1 client key" : `${formatCount(count)} client keys`);
  if (added > 0) return `\n${named(added)} among them: whoever holds one has access now.`;
  if (leftOut > 0) return `\n${named(leftOut)} left out. --with-keys takes them over.`;
  return "";
}

function actionOf(name: string | undefined): Action {
  const found = ACTIONS.find((action) => action === (name ?? "status"));
  if (found !== undefined) return found;
  const close = nearest(name ?? "", ACTIONS);
  throw new UsageError(
    `precis db can't ${name}. ${close === undefined ? `It does ${ACTIONS.join(", ")}.` : `Did you mean precis db ${close}?`}`,
  );
}

function sweep(store: ServerStore, flags: ParsedFlags) {
  const tenant = flags.value("tenant");
  const age = flags.value("older-than");
  const ms = age === undefined ? undefined : parseAge("older-than", age);
  return store.upkeep.sweep({
    ...(tenant !== undefined && { tenant }),
    ...(ms !== undefined && { conversationsMs: ms, eventsMs: ms, recordsMs: ms }),
  });
}

async function exportTo(store: ServerStore, flags: ParsedFlags, io: Io): Promise<void> {
  const tenant = flags.value("tenant");
  const out = flags.value("out");
  const lines = store.upkeep.exportAll({ ...(tenant !== undefined && { tenant }) });
  if (out === undefined) {
    for await (const line of lines) {
      io.signal.throwIfAborted();
      await writeAll(io.stdout, `${line}\n`);
    }
    return;
  }
  const file = createWriteStream(out, { flags: "wx", mode: PRIVATE_FILE });
  try {
    await once(file, "open");
    for await (const line of lines) {
      io.signal.throwIfAborted();
      await writeAll(file, `${line}\n`);
    }
    file.end();
    await once(file, "finish");
  } catch (error) {
    file.destroy();
    const code = (error as { code?: unknown }).code;
    if (code === "EEXIST")
      throw new FileError(`${out} exists already. Choose another file.`, { cause: error });
    if (code === "ENOENT") throw new FileError(`there is no folder for ${out}.`, { cause: error });
    throw error;
  }
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
    ["newest", stats.updatedAt === undefined ? "nothing yet" : new Date(stats.updatedAt).toISOString()],
    ["tenants", formatCount(stats.tenants)],
    ["conversations", formatCount(counts.conversations)],
    ["messages", `${formatCount(counts.messages)} (${formatCount(counts.bodies)} texts)`],
    ["checkpoints", `${formatCount(counts.checkpoints)} (${formatCount(counts.undos)} undone)`],
    ["summaries", formatCount(counts.summaries)],
    ["events", formatCount(counts.events)],
    ["citations", formatCount(counts.citations)],
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
