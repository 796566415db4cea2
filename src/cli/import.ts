import { readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { formatCount } from "./format.ts";
import { OPENCODE_DATABASE } from "./import/opencode-database.ts";
import { type Outcome, outcomeText } from "./import/outcome.ts";
import type { Io } from "./io.ts";
import { DATABASE_FLAGS, DEFAULT_TENANT, withDatabase } from "./open-database.ts";
import { type CommandLine, type ParsedFlags, UsageError } from "./parse-flags.ts";
import { createProgress } from "./progress.ts";
import { checkReadable, FileError } from "./read-lines.ts";

export const importLine: CommandLine = {
  name: "import",
  summary: "Takes logs and exports of other programs into the database, a folder at a time.",
  usage: "precis import FILE|FOLDER… [flags]",
  flags: { ...DATABASE_FLAGS, json: { help: "print what was done as JSON" } },
  notes: [
    "A FOLDER is searched for .json and .jsonl files, plain or gzip, and for the database of opencode, with all folders in it. What is no conversation is passed over; one that can't be read is named with its line, and the others are imported. Each session of a database counts as a file.",
    "A second run reads only files that have changed, and adds only messages that are new. One that was interrupted goes on where it stopped.",
    "precis recall and precis mcp then find what was said there.",
  ],
  examples: [
    "precis import ~/.claude/projects",
    "precis import ~/.codex/sessions ~/.pi/agent/sessions --db precis.db",
    "precis import ~/.local/share/opencode",
    "precis import conversations.json",
  ],
};

export async function importCommand(flags: ParsedFlags, io: Io): Promise<void> {
  if (flags.files.length === 0) throw new UsageError("precis import needs a FILE or a FOLDER.");
  // Before the database: a name that is wrong would leave an empty one behind.
  const files = [...new Set((await Promise.all(flags.files.map(importableFiles))).flat())];
  const tenant = flags.value("tenant") ?? DEFAULT_TENANT;
  const progress = createProgress(io, { json: flags.has("json") });
  const outcome = await withDatabase(flags, io, { create: true }, async (store, database, config) => {
    const { importFiles } = await import("./import/import-files.ts");
    const done = await importFiles(files, { config, store, now: () => Date.now(), tenant, io, progress });
    progress.clear();
    io.stdout.write(
      flags.has("json") ? `${JSON.stringify({ database, ...done })}\n` : outcomeText(done, database),
    );
    return done;
  });
  refuseUnread(outcome, files.length);
}

/** Something that can't be read makes the command fail, after everything else was imported. */
function refuseUnread({ read, unchanged, passedOver, unreadable }: Outcome, files: number): void {
  const [broken] = unreadable;
  // A database is one file with many sessions: one that nothing was said in is no failure of the others.
  const isNothing = files === 1 && read + unchanged === 0;
  const named = broken ?? (isNothing ? passedOver[0] : undefined);
  if (!named) return;
  const more = unreadable.length - 1;
  const others = more > 0 ? ` ${formatCount(more)} more can't be read, either.` : "";
  throw new FileError(`${named.file}: ${named.reason}${others}`);
}

const LOG_FILE = /\.jsonl?(?:\.gz)?$/i;

/** The file, or all logs in a folder, by their full names: these tell them again at the next import. */
async function importableFiles(path: string): Promise<string[]> {
  const full = resolve(path);
  const isFolder = await stat(full).then(
    (info) => info.isDirectory(),
    () => false,
  );
  if (!isFolder) {
    await checkReadable(full);
    return [full];
  }
  const inside = await readdir(full, { recursive: true, withFileTypes: true });
  const found: string[] = [];
  for (const entry of inside) {
    const { name, parentPath } = entry;
    if (!LOG_FILE.test(name) && !OPENCODE_DATABASE.test(name)) continue;
    const file = join(parentPath, name);
    if (entry.isFile() || (entry.isSymbolicLink() && (await leadsToFile(file)))) found.push(file);
  }
  return found.sort();
}

const leadsToFile = (link: string): Promise<boolean> =>
  stat(link).then(
    (info) => info.isFile(),
    () => false,
  );
