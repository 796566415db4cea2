import { stringifyDeep } from "../../core/json.ts";
import { rewriteEvents } from "../shared/events.ts";
import { isJson, type Json, listOf, numberOf, textOf } from "../shared/fields.ts";
import {
  type Announcement,
  type Cleared,
  type ClearingFacts,
  DEFAULT_THRESHOLD,
  type MadeSummary,
  type NativeCompaction,
  type NativeWish,
  type SummarizedRequest,
  summaryText,
  unsealSummary,
} from "../shared/native.ts";
import { isThought, partsOf } from "./parts.ts";

/** Anthropic's compaction: edits of `context_management`, `compaction` blocks, `compaction: { type: "summarize" }`. */
export const messagesNative: NativeCompaction = {
  wish: messagesWish,
  plain({ context_management: _, compaction: __, ...body }) {
    return { ...body, messages: replayMessages(listOf(body["messages"])) };
  },
  clear: clearEdits,
  needsResults: true,
  lead: joined,
  answer: messagesAnswer,
  announce: announceBlock,
  withAppliedEdits(applied_edits) {
    const added = { context_management: { applied_edits } };
    const rewrite = (event: Json) =>
      event["type"] === "message_delta" ? [{ ...event, ...added }] : undefined;
    return { json: (answer) => ({ ...answer, ...added }), stream: (most) => rewriteEvents(rewrite, most) };
  },
  dropFlags: dropBetas,
};

function messagesWish(body: Json): NativeWish {
  const management = body["context_management"];
  const edits = isJson(management) ? listOf(management["edits"]).filter(isJson) : [];
  const compaction = body["compaction"];
  const summarize = isJson(compaction) && compaction["type"] === "summarize";
  const compact = edits.find((edit) => textOf(edit["type"])?.startsWith("compact_"));
  // Edits that only concern thinking are no reason to stand down: one big client sends them with every request.
  const needs = edits.some((edit) => !textOf(edit["type"])?.startsWith("clear_thinking"));
  const isThread = body["thread"] != null;
  const hasBlock = listOf(body["messages"]).some(hasCompactionBlock);
  return {
    isNative: needs || summarize || isThread || hasBlock,
    isThread,
    summarize,
    instructions: isJson(compaction) ? textOf(compaction["instructions"]) : textOf(compact?.["instructions"]),
    threshold: compact && thresholdOf(compact["trigger"]),
    pauses: compact?.["pause_after_compaction"] === true,
    edits,
  };
}

function thresholdOf(trigger: unknown): number {
  const value = isJson(trigger) ? numberOf(trigger["value"]) : undefined;
  return value !== undefined && value > 0 ? value : DEFAULT_THRESHOLD;
}

/** Roles must alternate, so the summary stands in front of the user's own words. */
function joined(messages: readonly unknown[]): readonly unknown[] {
  const [first, second, ...rest] = messages;
  if (!isJson(first) || !isJson(second)) return messages;
  if (first["role"] !== "user" || second["role"] !== "user") return messages;
  return [{ ...second, content: [...partsOf(first["content"]), ...partsOf(second["content"])] }, ...rest];
}

function messagesAnswer(made: MadeSummary, { applied }: SummarizedRequest): { json: Json; events: Json[] } {
  // What a compaction costs stands among the iterations only.
  const usage = {
    input_tokens: 0,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    cache_creation: null,
    output_tokens: 0,
    output_tokens_details: null,
    server_tool_use: null,
    service_tier: "standard",
    inference_geo: null,
    speed: null,
    fallback_credit: null,
    iterations: [compactionIteration(made)],
  };
  const message = {
    id: `msg_${plainId()}`,
    type: "message",
    role: "assistant",
    model: made.model,
    stop_sequence: null,
    stop_details: null,
    container: null,
    diagnostics: null,
  };
  const context_management = applied ? { applied_edits: applied } : null;
  const end = { stop_reason: "compaction", stop_sequence: null };
  const delta = { ...end, stop_details: null, container: null };
  return {
    json: { ...message, content: [compactionBlock(made.text)], ...end, context_management, usage },
    events: [
      {
        type: "message_start",
        message: { ...message, content: [], stop_reason: null, context_management: null, usage },
      },
      ...blockEvents(made.text),
      { type: "message_delta", delta, context_management, usage },
      { type: "message_stop" },
    ],
  };
}

function blockEvents(text: string): Json[] {
  return [
    { type: "content_block_start", index: 0, content_block: compactionBlock("") },
    {
      type: "content_block_delta",
      index: 0,
      delta: { type: "compaction_delta", content: text, encrypted_content: null },
    },
    { type: "content_block_stop", index: 0 },
  ];
}

/** What a summary cost, as one of the iterations of an answer. */
function compactionIteration({ input, cacheRead, output }: MadeSummary): Json {
  return {
    type: "compaction",
    input_tokens: input - cacheRead,
    output_tokens: output,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cacheRead,
    cache_creation: null,
  };
}

function announceBlock(made: MadeSummary): Announcement {
  const part = compactionBlock(made.text);
  const withUsage = (usage: unknown, begun: unknown = {}): unknown => {
    if (!isJson(usage)) return usage;
    const iterations = listOf(usage["iterations"]);
    const answered = messageIteration({ ...(isJson(begun) ? begun : {}), ...usage }, made.model);
    return {
      ...usage,
      iterations: [compactionIteration(made), ...(iterations.length > 0 ? iterations : [answered])],
    };
  };
  return {
    part,
    json: (answer) => ({
      ...answer,
      content: [part, ...listOf(answer["content"])],
      usage: withUsage(answer["usage"]),
    }),
    messages: ([first, ...rest]) =>
      isJson(first) ? [{ ...first, content: [part, ...partsOf(first["content"])] }, ...rest] : [],
    stream(most) {
      // The end of a stream may leave out what its beginning told.
      let begun: unknown;
      return rewriteEvents((event) => {
        if (event["type"] === "message_start") {
          begun = isJson(event["message"]) ? event["message"]["usage"] : undefined;
          return [event, ...blockEvents(made.text)];
        }
        if (event["type"] === "message_delta") return [{ ...event, usage: withUsage(event["usage"], begun) }];
        const index = numberOf(event["index"]);
        return [index === undefined ? event : { ...event, index: index + 1 }];
      }, most);
    },
  };
}

/** What the answer itself cost, as one of its iterations. */
function messageIteration(usage: Json, model: string): Json {
  return {
    type: "message",
    model,
    input_tokens: usage["input_tokens"] ?? 0,
    output_tokens: usage["output_tokens"] ?? 0,
    cache_creation_input_tokens: usage["cache_creation_input_tokens"] ?? 0,
    cache_read_input_tokens: usage["cache_read_input_tokens"] ?? 0,
    cache_creation: usage["cache_creation"] ?? null,
  };
}

function compactionBlock(text: string): Json {
  return { type: "compaction", content: text, encrypted_content: null };
}

/** Beta flags of what precis carries out itself. Servers that imitate Anthropic refuse flags that they don't know. */
const OURS = /^(?:context-management|compact)-/;

function dropBetas(headers: Record<string, unknown>): void {
  const { "anthropic-beta": given } = headers;
  if (typeof given !== "string") return;
  const kept = given
    .split(",")
    .map((flag) => flag.trim())
    .filter((flag) => !OURS.test(flag));
  if (kept.length > 0) headers["anthropic-beta"] = kept.join(",");
  else delete headers["anthropic-beta"];
}

function plainId(): string {
  return crypto.randomUUID().replaceAll("-", "");
}

/**
 * Requests that carry a summary from an earlier compaction, as an upstream without compaction understands them: what
 * stands before the newest summary leaves, and its words stand in a message of the user.
 */
function replayMessages(messages: readonly unknown[]): readonly unknown[] {
  const sound = messages.flatMap(withoutFailed);
  const at = sound.findLastIndex(hasCompactionBlock);
  if (at < 0) return sound;
  const message = sound[at] as Json;
  const parts = listOf(message["content"]).filter(isJson);
  const cut = parts.findLastIndex((part) => part["type"] === "compaction");
  const rest = parts.slice(cut + 1);
  const summary = { type: "text", text: summaryText(textIn(parts[cut]) ?? "") };
  // The summary opens the conversation: the first message must be the user's.
  if (message["role"] === "user")
    return [{ ...message, content: [summary, ...rest] }, ...sound.slice(at + 1)];
  const answer = rest.length > 0 ? [{ ...message, content: rest }] : [];
  const next = sound[at + 1];
  const after = sound.slice(at + 1);
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

function hasCompactionBlock(message: unknown): boolean {
  return (
    isJson(message) &&
    listOf(message["content"]).some((part) => isJson(part) && part["type"] === "compaction")
  );
}

/** What Anthropic's API assumes where a request doesn't say. */
const DEFAULT_TRIGGER_TOKENS = 100_000;
const DEFAULT_KEEP = 3;
const CLEARED = "[tool result cleared to save context]";

/** Carries out Anthropic's `clear_…` edits where the upstream doesn't. Thinking that it wants back stays, whatever is asked. */
function clearEdits(messages: readonly unknown[], edits: readonly Json[], facts: ClearingFacts): Cleared {
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
