import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { TranscriptError } from "../../core/errors.ts";

const DATA_FILE = /\.(?:jsonl?|traj)(?:\.gz)?$/;
/** Folders inside the given one that are looked into. */
const DEEPEST = 3;

/** Some editors begin a file with it; JSON doesn't know it. */
const BYTE_ORDER_MARK = /^\uFEFF/;

/** What went wrong with a file says which one it was: a folder may hold hundreds. */
export function inFile<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    const words = cause instanceof Error ? cause.message.replace(/^precis: /, "") : String(cause);
    if (words.includes(file)) throw cause;
    throw new TranscriptError({
      message: `${file}: ${words.replace(/\.?$/, ".")}`,
      fix: "Mend or remove this file.",
      cause,
    });
  }
}

/** Text of a file, unpacked if need be. */
export function readText(file: string): string {
  return inFile(file, () => {
    const bytes = readFileSync(file);
    return (file.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8").replace(BYTE_ORDER_MARK, "");
  });
}

/** The records of a file: lines of JSONL, members of a JSON list, or the one JSON value. */
export function readRecords(file: string): unknown[] {
  const text = readText(file);
  try {
    if (!/\.jsonl(?:\.gz)?$/.test(file)) {
      const value: unknown = JSON.parse(text);
      return Array.isArray(value) ? value : [value];
    }
    return text
      .split("\n")
      .filter((line) => line.trim() !== "")
      .map((line): unknown => JSON.parse(line));
  } catch (cause) {
    throw new TranscriptError({
      message: `${file} isn't JSON or JSONL.`,
      fix: "Mend or remove this file: .json holds one JSON value, .jsonl one per line.",
      cause,
    });
  }
}

export interface DataFolder {
  readonly path: string;
  readonly files: readonly string[];
  readonly folders: readonly DataFolder[];
}

export function filesBelow({ path, files, folders }: DataFolder): string[] {
  return [...files.map((file) => join(path, file)), ...folders.flatMap(filesBelow)];
}

/** Data files below a folder, in the order of their names. */
export function readFolder(path: string, depth = 0): DataFolder {
  const entries = readdirSync(path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  return {
    path,
    files: entries.filter((entry) => entry.isFile() && DATA_FILE.test(entry.name)).map((entry) => entry.name),
    folders:
      depth >= DEEPEST
        ? []
        : entries
            .filter((entry) => entry.isDirectory())
            .map((entry) => readFolder(join(path, entry.name), depth + 1)),
  };
}
