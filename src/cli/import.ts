import { formatCount } from "./format.ts";
import { importableFiles } from "./import/importable-files.ts";
import { type Outcome, outcomeText } from "./import/outcome.ts";
import type { Io } from "./io.ts";
import { DATABASE_FLAGS, DEFAULT_TENANT, withDatabase } from "./open-database.ts";
import type { CommandLine, ParsedFlags } from "./parse-flags.ts";
import { createProgress } from "./progress.ts";
import { FileError } from "./read-lines.ts";
import { UsageError } from "./usage-error.ts";

export const importLine: CommandLine = {
  name: "import",
  summary: "Takes logs and exports of other programs into the database, a folder at a time.",
  usage: "precis import FILE|FOLDER… [flags]",
  flags: {
    ...DATABASE_FLAGS,
    json: { help: "print what was done as JSON" },
  },
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
