import { randomUUID } from "node:crypto";
import { isJson } from "../wires/json.ts";
import type { Json, Wire } from "../wires/wire.ts";
import { sealSummary } from "./seal-summary.ts";

/** A summary and what it cost, to be told in the shapes of a provider. */
export interface MadeSummary {
  readonly model: string;
  readonly text: string;
  readonly input: number;
  readonly output: number;
  readonly at: number;
}

/** An answer that is nothing but a compaction: one JSON, or the events of a stream. */
export function compactionAnswer(
  wire: Wire,
  made: MadeSummary,
): { readonly json: Json; readonly events: readonly Json[] } {
  return wire.api === "messages" ? messagesAnswer(made) : responsesAnswer(made);
}

function messagesAnswer({ model, text, input, output }: MadeSummary): { json: Json; events: Json[] } {
  const block = compactionBlock(text);
  const usage = {
    input_tokens: 0,
    output_tokens: 0,
    iterations: [{ type: "compaction", input_tokens: input, output_tokens: output }],
  };
  const message = { id: `msg_${plainId()}`, type: "message", role: "assistant", model, stop_sequence: null };
  return {
    json: { ...message, content: [block], stop_reason: "compaction", usage },
    events: [
      { type: "message_start", message: { ...message, content: [], stop_reason: null, usage } },
      {
        type: "content_block_start",
        index: 0,
        content_block: { type: "compaction", content: "", encrypted_content: null },
      },
      {
        type: "content_block_delta",
        index: 0,
        delta: { type: "compaction_delta", content: text, encrypted_content: null },
      },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "compaction", stop_sequence: null }, usage },
      { type: "message_stop" },
    ],
  };
}

function responsesAnswer(made: MadeSummary): { json: Json; events: Json[] } {
  const item = compactionItem(made.text);
  const usage = usageOf(made);
  const response = {
    id: `resp_${plainId()}`,
    object: "response",
    created_at: Math.floor(made.at / 1_000),
    model: made.model,
    error: null,
    incomplete_details: null,
  };
  const done = { ...response, status: "completed", output: [item], usage };
  const events: Json[] = [
    { type: "response.created", response: { ...response, status: "in_progress", output: [], usage: null } },
    { type: "response.compaction.compacting", item_id: item["id"], output_index: 0 },
    { type: "response.output_item.added", output_index: 0, item },
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response: done },
  ];
  return { json: done, events: events.map((event, index) => ({ ...event, sequence_number: index })) };
}

/** The answer of `POST /v1/responses/compact`: all messages of the user, then the summary. */
export function compactAnswer(made: MadeSummary, input: readonly unknown[]): Json {
  const said = input.filter((item) => isJson(item) && item["role"] === "user");
  return {
    id: `resp_${plainId()}`,
    object: "response.compaction",
    created_at: Math.floor(made.at / 1_000),
    output: [...said, compactionItem(made.text)],
    usage: usageOf(made),
  };
}

export function compactionItem(text: string): Json {
  return { type: "compaction", id: `cmp_${plainId()}`, encrypted_content: sealSummary(text) };
}

function usageOf({ input, output }: MadeSummary): Json {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: 0 },
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
