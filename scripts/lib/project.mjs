// @ts-check
import { readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository's folder. */
export const root = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");

/**
 * Files below a folder, as sorted paths relative to `base`, with `/` between their parts.
 * @param {string} base
 * @param {string} folder relative to `base`; a folder that doesn't exist has no files
 * @param {RegExp} pattern
 * @returns {string[]}
 */
export function filesBelow(base, folder, pattern) {
  /** @type {import("node:fs").Dirent[]} */
  let found;
  try {
    found = readdirSync(join(base, folder), { recursive: true, withFileTypes: true });
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === "ENOENT") return [];
    throw error;
  }
  return found
    .filter((item) => item.isFile())
    .map((item) => relative(base, join(item.parentPath, item.name)).replaceAll("\\", "/"))
    .filter((path) => !path.includes("node_modules/") && pattern.test(path))
    .sort();
}

/**
 * @param {string} path
 * @returns {boolean}
 */
export function isTestFile(path) {
  return /\.(test|test-d)\.tsx?$/.test(path);
}
