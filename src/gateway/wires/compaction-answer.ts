import { randomUUID } from "node:crypto";
import { isJson } from "../http/json.ts";
import type { Json, Wire } from "./wire.ts";
import { sealSummary } from "./seal-summary.ts";

/** A summary and what it cost, to be told in the shapes of a provider. */
export interface MadeSummary {
  readonly model: string;
  readonly text: string;
  /** Tokens that models were paid for to write it: all input, of it what came from a cache, and output. */
  readonly input: number;
  readonly cacheRead: number;
  readonly output: number;
  readonly at: number;
}

/** What else an answer tells about its request. */
interface Asked {
  readonly body: Json;
  /** Anthropic's edits that were carried out before. */
  readonly applied?: readonly Json[] | undefined;
}

/** An answer that is nothing but a compaction: one JSON, or the events of a stream. */
export function compactionAnswer(
  wire: Wire,
  made: MadeSummary,
  asked: Asked,
): { readonly json: Json; readonly events: readonly Json[] } {
  return wire.api === "messages" ? messagesAnswer(made, asked) : responsesAnswer(made, asked);
}

function messagesAnswer(made: MadeSummary, { applied }: Asked): { json: Json; events: Json[] } {
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

/** The events of a block that stands first. */
export function blockEvents(text: string): Json[] {
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
export function compactionIteration({ input, cacheRead, output }: MadeSummary): Json {
  return {
    type: "compaction",
    input_tokens: input - cacheRead,
    output_tokens: output,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cacheRead,
    cache_creation: null,
  };
}

function responsesAnswer(made: MadeSummary, { body }: Asked): { json: Json; events: Json[] } {
  const item = compactionItem(made.text);
  const response = {
    id: `resp_${plainId()}`,
    object: "response",
    created_at: secondsOf(made),
    model: made.model,
    error: null,
    incomplete_details: null,
    ...repeated(body),
  };
  const done = { ...response, status: "completed", output: [item], usage: usageOf(made) };
  const begun = { ...response, status: "in_progress", output: [], usage: null };
  const events: Json[] = [
    { type: "response.created", response: begun },
    { type: "response.in_progress", response: begun },
    ...itemEvents(item),
    { type: "response.completed", response: done },
  ];
  return { json: done, events: events.map((event, index) => ({ ...event, sequence_number: index })) };
}

/**
 * The events of an item that stands first. `response.compaction.compacting` isn't among them: it holds nothing, and the stream
 * helper of OpenAI's own package throws at it in the versions that don't know it yet.
 */
export function itemEvents(item: Json): Json[] {
  return [
    { type: "response.output_item.added", output_index: 0, item },
    { type: "response.output_item.done", output_index: 0, item },
  ];
}

/** Fields of a request that its answer repeats, with what they are if it leaves them out. */
const REPEATED: Json = {
  instructions: null,
  max_output_tokens: null,
  metadata: {},
  parallel_tool_calls: true,
  previous_response_id: null,
  reasoning: { effort: null, summary: null },
  store: true,
  temperature: 1,
  text: { format: { type: "text" } },
  tool_choice: "auto",
  tools: [],
  top_p: 1,
  truncation: "disabled",
};

function repeated(body: Json): Json {
  return Object.fromEntries(Object.entries(REPEATED).map(([name, value]) => [name, body[name] ?? value]));
}

/** The answer of `POST /v1/responses/compact`: all messages of the user, then the summary. */
export function compactAnswer(made: MadeSummary, input: readonly unknown[]): Json {
  const said = input.filter(isJson).filter((item) => item["role"] === "user");
  return {
    id: `resp_${plainId()}`,
    object: "response.compaction",
    created_at: secondsOf(made),
    output: [...said.map(outputMessage), compactionItem(made.text)],
    usage: usageOf(made),
  };
}

/** A message of the user as an answer holds it: with everything that a request may leave out. */
function outputMessage(item: Json): Json {
  const { content } = item;
  return {
    id: `msg_${plainId()}`,
    status: "completed",
    ...item,
    type: "message",
    content: typeof content === "string" ? [{ type: "input_text", text: content }] : content,
  };
}

function secondsOf({ at }: MadeSummary): number {
  return Math.floor(at / 1_000);
}

export function compactionItem(text: string): Json {
  return { type: "compaction", id: `cmp_${plainId()}`, encrypted_content: sealSummary(text) };
}

function usageOf({ input, cacheRead, output }: MadeSummary): Json {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + output,
  };
}

export function compactionBlock(text: string): Json {
  return { type: "compaction", content: text, encrypted_content: null };
}

function plainId(): string {
  return randomUUID().replaceAll("-", "");
}
