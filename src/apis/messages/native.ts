import { rewriteEvents } from "../shared/events.ts";
import { isJson, type Json, listOf, numberOf, textOf } from "../shared/fields.ts";
import {
  type Announcement,
  DEFAULT_THRESHOLD,
  type MadeSummary,
  type NativeCompaction,
  type NativeWish,
  type SummarizedRequest,
} from "../shared/native.ts";
import { clearEdits } from "./clear-edits.ts";
import { partsOf } from "./parts.ts";
import { hasCompactionBlock, replayMessages } from "./replay.ts";

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
