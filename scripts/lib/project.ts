import type { Dirent } from "node:fs";
import { readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository's folder. */
export const root = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");

/**
 * Files below a folder, as sorted paths relative to `base`, with `/` between their parts.
 * `folder`: relative to `base`; a folder that doesn't exist has no files.
 */
export function filesBelow(base: string, folder: string, pattern: RegExp): string[] {
  let found: Dirent[];
  try {
    found = readdirSync(join(base, folder), { recursive: true, withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
  return found
    .filter((item) => item.isFile())
    .map((item) => relative(base, join(item.parentPath, item.name)).replaceAll("\\", "/"))
    .filter((path) => !path.includes("node_modules/") && pattern.test(path))
    .sort();
}

export function isTestFile(path: string): boolean {
  return /\.(test|test-d)\.tsx?$/.test(path);
}
