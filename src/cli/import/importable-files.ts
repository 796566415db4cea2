import { readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { checkReadable } from "../read-lines.ts";
import { OPENCODE_DATABASE } from "./opencode-database.ts";

const LOG_FILE = /\.jsonl?(?:\.gz)?$/i;

/** The file, or all logs in a folder, by their full names: these tell them again at the next import. */
export async function importableFiles(path: string): Promise<string[]> {
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
