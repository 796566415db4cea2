import { isJson, listOf, textOf } from "../../http/json.ts";
import type { WireRequest } from "../wire.ts";

/** Blocks in which clients tell the model where it works and by which rules (CLAUDE.md, AGENTS.md). */
const CLIENT_BLOCKS =
  /<(?:system-reminder|environment_context|user_instructions|INSTRUCTIONS)>|^# AGENTS\.md instructions/;
/** Such messages of this share of the window's characters are pinned at the most. */
const MOST_SHARE = 1 / 8;
/** Characters of a token, on the safe side. */
const CHARS_PER_TOKEN = 3;

/**
 * Messages before the first answer in which the client, not the user, speaks. Clients send the project's rules there once
 * and rely on them from then on, so they are pinned: a summary keeps what the user said, not what a client put beside it.
 */
export function clientMessages({ transcript }: WireRequest, window: number): readonly number[] {
  const pins: number[] = [];
  let left = window * MOST_SHARE * CHARS_PER_TOKEN;
  for (const [index, message] of transcript.entries()) {
    if (!isJson(message) || !SPEAKERS.has(message["role"])) break;
    if (message["role"] !== "user") continue;
    const text = wordsOf(message["content"]);
    if (text.length > left || !CLIENT_BLOCKS.test(text)) continue;
    left -= text.length;
    pins.push(index);
  }
  return pins;
}

/** Who may speak before the first answer. */
const SPEAKERS: ReadonlySet<unknown> = new Set(["system", "developer", "user"]);

function wordsOf(content: unknown): string {
  if (typeof content === "string") return content;
  return listOf(content)
    .map((part) => (isJson(part) ? (textOf(part["text"]) ?? "") : ""))
    .join("\n");
}
