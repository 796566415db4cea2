import { isJson, type Json, listOf, textOf } from "../shared/fields.ts";
import { summaryText, unsealSummary } from "../shared/seal-summary.ts";
import { partsOf } from "./parts.ts";

/**
 * Requests that carry a summary from an earlier compaction, as an upstream without compaction understands them: what
 * stands before the newest summary leaves, and its words stand in a message of the user.
 */
export function replayMessages(messages: readonly unknown[]): readonly unknown[] {
  const told = messages.flatMap(withoutFailed);
  const at = told.findLastIndex(hasCompactionBlock);
  if (at < 0) return told;
  const message = told[at] as Json;
  const parts = listOf(message["content"]).filter(isJson);
  const cut = parts.findLastIndex((part) => part["type"] === "compaction");
  const rest = parts.slice(cut + 1);
  const summary = { type: "text", text: summaryText(textIn(parts[cut]) ?? "") };
  // The summary opens the conversation: the first message must be the user's.
  if (message["role"] === "user") return [{ ...message, content: [summary, ...rest] }, ...told.slice(at + 1)];
  const answer = rest.length > 0 ? [{ ...message, content: rest }] : [];
  const next = told[at + 1];
  const after = told.slice(at + 1);
  if (answer.length === 0 && isJson(next) && next["role"] === "user") {
    return [{ ...next, content: [summary, ...partsOf(next["content"])] }, ...after.slice(1)];
  }
  return [{ role: "user", content: [summary] }, ...answer, ...after];
}

/** A block without words is a compaction that failed: it stands for nothing. */
function withoutFailed(message: unknown): readonly unknown[] {
  if (!isJson(message) || !hasCompactionBlock(message)) return [message];
  const content = listOf(message["content"]).filter(
    (part) => !(isJson(part) && part["type"] === "compaction" && textIn(part) === undefined),
  );
  return content.length === 0 ? [] : [{ ...message, content }];
}

function textIn(block: Json | undefined): string | undefined {
  return textOf(block?.["content"]) || unsealSummary(block?.["encrypted_content"]);
}

export function hasCompactionBlock(message: unknown): boolean {
  return (
    isJson(message) &&
    listOf(message["content"]).some((part) => isJson(part) && part["type"] === "compaction")
  );
}
