import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseJson } from "../../core/json.ts";
import type { Journal } from "../judged/journal.ts";

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
