import { once } from "node:events";
import { createWriteStream, lstatSync, statSync } from "node:fs";
import { defined } from "../core/defined.ts";
import { nearest } from "../core/nearest.ts";
import type { Imported, ServerStore, StoreStats } from "../stores/server-store.ts";
import { formatCount } from "./format.ts";
import type { Io, Output } from "./io.ts";
import { DATABASE_FLAGS, withDatabase } from "./open-database.ts";
import { type CommandLine, type ParsedFlags, UsageError } from "./parse-flags.ts";
import { parseAge } from "./parse-tokens.ts";
import { checkReadable, FileError, isOfSystem, readLines } from "./read-lines.ts";
import { unwritable } from "./unwritable.ts";
import { PRIVATE_FILE, writeWhole } from "./write-output.ts";

/** What an action works with. */
interface Doing {
  readonly store: ServerStore;
  /** Its name, for people. */
  readonly database: string;
  readonly file: string;
  readonly flags: ParsedFlags;
  readonly io: Io;
}

/** What an action has to say, as JSON and for people. */
interface Said {
  readonly value: unknown;
  readonly text: string;
}

/** What `precis db` does. `takes`: what its one FILE is. */
const ACTIONS = {
  status: { run: status },
  backup: { run: backup, takes: ", which it makes" },
  export: { run: exportTo },
  import: { run: importLines, takes: " (or - for stdin)" },
  sweep: { run: sweep },
  vacuum: { run: vacuum },
} as const satisfies Record<string, Action>;
const ACTION_NAMES = Object.keys(ACTIONS) as (keyof typeof ACTIONS)[];

interface Action {
  readonly takes?: string;
  run(doing: Doing): Promise<Said | undefined>;
}

export const dbLine: CommandLine = {
  name: "db",
  summary: "Looks after the database of precis serve: what is in it, backups, removal of what is old.",
  usage: `precis db ${ACTION_NAMES.join("|")} [flags]`,
  flags: {
    ...DATABASE_FLAGS,
    tenant: { value: "T", help: "only this tenant (default: all)" },
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
    "A database of another version is refused, and left as it is.",
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
  const { takes, run }: Action = ACTIONS[action];
  if (takes === undefined && file !== undefined) throw new UsageError(`precis db ${action} takes no FILE.`);
  if (takes !== undefined && (file === undefined || more.length > 0))
    throw new UsageError(`precis db ${action} needs one FILE${takes}.`);
  // Before the database: a name that is wrong would leave an empty one behind.
  if (action === "import") await checkReadable(file ?? "-");
  await withDatabase(flags, io, { create: action === "import" }, async (store, database) => {
    const said = await run({ store, database, file: file ?? "", flags, io });
    if (said) io.stdout.write(flags.has("json") ? `${JSON.stringify(said.value)}\n` : `${said.text}\n`);
  });
}

async function status({ store, database, flags }: Doing): Promise<Said> {
  const stats = await store.upkeep.stats(flags.value("tenant"));
  return { value: { database, ...stats }, text: statusText(database, stats) };
}

async function backup({ store, database, file }: Doing): Promise<Said> {
  await store.upkeep.backup(file);
  const { size } = statSync(file);
  return {
    value: { file, bytes: size },
    text: `${file} holds all of ${database} (${formatBytes(size)}).`,
  };
}

async function importLines({ store, database, file, flags, io }: Doing): Promise<Said> {
  const lines = readLines(file, io, () => {});
  const value = await store.upkeep.importAll(lines, { clientKeys: flags.has("with-keys") });
  return {
    value,
    text: `${formatCount(value.lines)} lines read, ${formatCount(value.added)} things added to ${database}.${keysText(value.clientKeys)}`,
  };
}

async function sweep({ store, flags }: Doing): Promise<Said> {
  const ms = flags.parsed("older-than", parseAge);
  const value = await store.upkeep.sweep(
    defined({ tenant: flags.value("tenant"), conversationsMs: ms, eventsMs: ms, recordsMs: ms }),
  );
  return {
    value,
    text: `Removed ${formatCount(value.conversations)} conversations, ${formatCount(value.events)} events, ${formatCount(value.records)} records and ${formatCount(value.leases)} leases.`,
  };
}

async function vacuum({ store }: Doing): Promise<Said> {
  const before = (await store.upkeep.stats()).bytes ?? 0;
  await store.upkeep.vacuum();
  const after = (await store.upkeep.stats()).bytes ?? 0;
  return { value: { before, after }, text: `${formatBytes(before)} before, ${formatBytes(after)} after.` };
}

function keysText({ added, leftOut }: Imported["clientKeys"]): string {
  const named = (count: number) => (count === 1 ? "1 client key" : `${formatCount(count)} client keys`);
  if (added > 0) return `\n${named(added)} among them: whoever holds one has access now.`;
  if (leftOut > 0) return `\n${named(leftOut)} left out. --with-keys takes them over.`;
  return "";
}

function actionOf(name: string | undefined): keyof typeof ACTIONS {
  const found = ACTION_NAMES.find((action) => action === (name ?? "status"));
  if (found !== undefined) return found;
  const close = nearest(name ?? "", ACTION_NAMES);
  throw new UsageError(
    `Unknown subcommand \`${name}\`. ${close === undefined ? `precis db has ${ACTION_NAMES.join(", ")}.` : `Did you mean precis db ${close}?`}`,
  );
}

async function exportTo({ store, flags, io }: Doing): Promise<undefined> {
  const out = flags.value("out");
  const lines = store.upkeep.exportAll(defined({ tenant: flags.value("tenant") }));
  const writeTo = async (output: Output): Promise<void> => {
    for await (const line of lines) {
      io.signal.throwIfAborted();
      await writeAll(output, `${line}\n`);
    }
  };
  if (out === undefined) {
    await writeTo(io.stdout);
    return;
  }
  try {
    if (lstatSync(out, { throwIfNoEntry: false }))
      throw new FileError(`${out} exists already. Choose another file.`);
    await writeWhole(out, async (path) => {
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
  } catch (error) {
    const code = (error as { code?: unknown }).code;
    if (code === "ENOENT") throw new FileError(`there is no folder for ${out}.`, { cause: error });
    if (isOfSystem(error)) throw new FileError(unwritable(out, error.code ?? ""), { cause: error });
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
