import { readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { formatCount } from "./format.ts";
import { OPENCODE_DATABASE } from "./import/opencode-database.ts";
import { type Outcome, outcomeText } from "./import/outcome.ts";
import { DEFAULT_TENANT, withDatabase } from "./open-database.ts";
import { checkReadable, FileError } from "./read-lines.ts";
import type { RunOf } from "./run.ts";

export async function importAll(run: RunOf<"import">): Promise<void> {
  const { io, progress } = run;
  const { tenant = DEFAULT_TENANT } = run.options;
  // Before the database: a name that is wrong would leave an empty one behind.
  const files = [...new Set((await Promise.all(run.args.map(importableFiles))).flat())];
  const outcome = await withDatabase(run, { create: true }, async (store, database, config) => {
    const { importFiles } = await import("./import/import-files.ts");
    const done = await importFiles(files, { config, store, now: () => Date.now(), tenant, io, progress });
    progress.clear();
    run.print({ database, ...done }, () => outcomeText(done, database));
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
