import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { TranscriptError } from "../../core/errors.ts";
import { parseJson } from "../../core/json.ts";
import type { Journal } from "../judged/ask-list.ts";

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

/** Replies hold words of a conversation, so the files are their owner's alone. */
const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;
const FILE = "replies.jsonl";

/** A journal in a folder, one line per reply. A line that was cut off by a crash is passed over. */
export function journalIn(dir: string): Journal & { readonly size: number } {
  mkdirSync(dir, { recursive: true, mode: PRIVATE_FOLDER });
  const file = join(dir, FILE);
  const replies = new Map<string, string>();
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  for (const line of text.split("\n")) {
    const reply = replyIn(line);
    if (reply !== undefined) replies.set(reply.key, reply.text);
  }
  // After a cut-off line the next one must begin on a line of its own.
  if (text !== "" && !text.endsWith("\n")) appendFileSync(file, "\n");
  return {
    get size() {
      return replies.size;
    },
    find: (key) => replies.get(key),
    async keep(key, reply) {
      replies.set(key, reply);
      appendFileSync(file, `${JSON.stringify({ key, text: reply })}\n`, { mode: PRIVATE_FILE });
    },
  };
}

function replyIn(line: string): { key: string; text: string } | undefined {
  const { key, text } = (parseJson(line) ?? {}) as { key?: unknown; text?: unknown };
  return typeof key === "string" && typeof text === "string" ? { key, text } : undefined;
}
