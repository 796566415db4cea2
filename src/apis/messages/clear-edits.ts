import { stringifyDeep } from "../../core/deep-json.ts";
import { isJson, type Json, listOf, numberOf, textOf } from "../shared/fields.ts";
import type { Cleared, ClearingFacts } from "../shared/native.ts";
import { isThought } from "./parts.ts";

/** What Anthropic's API assumes where a request doesn't say. */
const DEFAULT_TRIGGER_TOKENS = 100_000;
const DEFAULT_KEEP = 3;
const CLEARED = "[tool result cleared to save context]";

/** Carries out Anthropic's `clear_…` edits where the upstream doesn't. Thinking that it wants back stays, whatever is asked. */
export function clearEdits(
  messages: readonly unknown[],
  edits: readonly Json[],
  facts: ClearingFacts,
): Cleared {
  let result = messages;
  const applied: Json[] = [];
  for (const edit of edits) {
    const type = textOf(edit["type"]) ?? "";
    const done = type.startsWith("clear_tool_uses")
      ? clearToolUses(result, edit, facts)
      : type.startsWith("clear_thinking")
        ? clearThinking(result, edit, facts)
        : undefined;
    if (!done) continue;
    result = done.messages;
    applied.push({ type, ...done.facts });
  }
  return { messages: result, applied };
}

type Done = { readonly messages: readonly unknown[]; readonly facts: Json } | undefined;

function clearToolUses(messages: readonly unknown[], edit: Json, facts: ClearingFacts): Done {
  const parts = messages
    .flatMap((message) => (isJson(message) ? listOf(message["content"]) : []))
    .filter(isJson);
  const uses = parts.filter((part) => part["type"] === "tool_use");
  const { trigger, keep, clear_at_least: least } = edit;
  const limit = isJson(trigger)
    ? (numberOf(trigger["value"]) ?? DEFAULT_TRIGGER_TOKENS)
    : DEFAULT_TRIGGER_TOKENS;
  const reached = isJson(trigger) && trigger["type"] === "tool_uses" ? uses.length : facts.input;
  if (reached <= limit) return undefined;
  const kept = isJson(keep) ? (numberOf(keep["value"]) ?? DEFAULT_KEEP) : DEFAULT_KEEP;
  const excluded = new Set(listOf(edit["exclude_tools"]));
  const cleared = new Set(
    uses
      .slice(0, Math.max(0, uses.length - kept))
      .filter((use) => !excluded.has(use["name"]))
      .map((use) => use["id"]),
  );
  const inputs = edit["clear_tool_inputs"];
  const clearsInput = (name: unknown) => inputs === true || listOf(inputs).includes(name);
  let saved = 0;
  let count = 0;
  const change = (part: unknown): unknown => {
    if (!isJson(part)) return part;
    if (part["type"] === "tool_result" && cleared.has(part["tool_use_id"]) && part["content"] !== CLEARED) {
      saved += facts.tokensOf(stringifyDeep(part["content"] ?? ""));
      count++;
      return { ...part, content: CLEARED };
    }
    if (part["type"] === "tool_use" && cleared.has(part["id"]) && clearsInput(part["name"])) {
      saved += facts.tokensOf(stringifyDeep(part["input"] ?? {}));
      return { ...part, input: {} };
    }
    return part;
  };
  const changed = mapParts(messages, change);
  const enough = isJson(least) ? (numberOf(least["value"]) ?? 0) : 0;
  if (count === 0 || saved < enough) return undefined;
  return { messages: changed, facts: { cleared_tool_uses: count, cleared_input_tokens: saved } };
}

function clearThinking(
  messages: readonly unknown[],
  edit: Json,
  { tokensOf, needsThinking }: ClearingFacts,
): Done {
  const { keep } = edit;
  if (keep === "all" || (isJson(keep) && keep["type"] === "all")) return undefined;
  const turns = isJson(keep) ? (numberOf(keep["value"]) ?? 1) : 1;
  const thinking = messages.flatMap((message, index) =>
    isJson(message) && message["role"] === "assistant" && listOf(message["content"]).some(isThought)
      ? [index]
      : [],
  );
  const old = thinking.slice(0, Math.max(0, thinking.length - turns));
  const cleared = new Set(old.filter((index) => !needsThinking(messages[index])));
  if (cleared.size === 0) return undefined;
  let saved = 0;
  const changed = messages.map((message, index) => {
    if (!cleared.has(index) || !isJson(message)) return message;
    const rest = listOf(message["content"]).filter((part) => {
      if (!isThought(part)) return true;
      saved += tokensOf(textOf((part as Json)["thinking"]) ?? "");
      return false;
    });
    return rest.length === 0 ? message : { ...message, content: rest };
  });
  return { messages: changed, facts: { cleared_thinking_turns: cleared.size, cleared_input_tokens: saved } };
}

function mapParts(messages: readonly unknown[], change: (part: unknown) => unknown): readonly unknown[] {
  return messages.map((message) => {
    const content = isJson(message) ? message["content"] : undefined;
    return isJson(message) && Array.isArray(content) ? { ...message, content: content.map(change) } : message;
  });
}
