import { isJson, listOf, numberOf, textOf } from "../http/json.ts";
import type { Json, Wire } from "./wire.ts";

/** What a request asks of the provider's own compaction. */
export interface NativeWish {
  /** Needs the provider's own memory or compaction: forwarded untouched where the upstream has it. */
  readonly isNative: boolean;
  /** Goes on from messages that only the provider has, or asks it to keep them. */
  readonly isThread: boolean;
  /** Answer with a summary and nothing else. */
  readonly summarize: boolean;
  readonly instructions: string | undefined;
  /** Compact from so many tokens on. */
  readonly threshold: number | undefined;
  /** Answer with the summary alone when the threshold is reached. */
  readonly pauses: boolean;
  /** Anthropic's edits, in their order. */
  readonly edits: readonly Json[];
}

const NOTHING: NativeWish = {
  isNative: false,
  isThread: false,
  summarize: false,
  instructions: undefined,
  threshold: undefined,
  pauses: false,
  edits: [],
};

/** Where a threshold isn't said: Anthropic's default (tokens). */
const DEFAULT_THRESHOLD = 150_000;

export function nativeWish(wire: Wire, body: Json): NativeWish {
  if (wire.api === "messages") return messagesWish(body);
  if (wire.api === "responses") return responsesWish(body);
  return NOTHING;
}

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

function responsesWish(body: Json): NativeWish {
  const management = listOf(body["context_management"]).filter(isJson);
  const compaction = management.find((one) => one["type"] === "compaction");
  const items = listOf(body["input"]).filter(isJson);
  const summarize = items.at(-1)?.["type"] === "compaction_trigger";
  const threshold = compaction?.["compact_threshold"];
  return {
    isNative:
      summarize ||
      compaction !== undefined ||
      items.some((item) => item["type"] === "compaction") ||
      body["previous_response_id"] != null ||
      body["conversation"] != null,
    isThread: false,
    summarize,
    instructions: undefined,
    pauses: false,
    threshold: compaction ? (numberOf(threshold) ?? DEFAULT_THRESHOLD) : undefined,
    edits: [],
  };
}

function thresholdOf(trigger: unknown): number {
  const value = isJson(trigger) ? numberOf(trigger["value"]) : undefined;
  return value !== undefined && value > 0 ? value : DEFAULT_THRESHOLD;
}

export function hasCompactionBlock(message: unknown): boolean {
  return (
    isJson(message) &&
    listOf(message["content"]).some((part) => isJson(part) && part["type"] === "compaction")
  );
}
