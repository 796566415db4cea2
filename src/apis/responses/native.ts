import { rewriteEvents } from "../shared/events.ts";
import { isJson, type Json, listOf, numberOf } from "../shared/fields.ts";
import {
  type Announcement,
  DEFAULT_THRESHOLD,
  type MadeSummary,
  type NativeCompaction,
  type NativeWish,
  type SummarizedRequest,
  sealSummary,
  summaryText,
  unsealSummary,
} from "../shared/native.ts";
import { transcriptOf } from "./api.ts";

/** OpenAI's compaction: `context_management`, items of type `compaction` and `compaction_trigger`. */
export const responsesNative: NativeCompaction = {
  wish: responsesWish,
  plain({ context_management: _, ...body }) {
    const items = transcriptOf(body["input"]).filter(
      (item) => !(isJson(item) && item["type"] === "compaction_trigger"),
    );
    return { ...body, input: replayItems(items) };
  },
  needsResults: false,
  lead: (messages) => messages,
  answer: responsesAnswer,
  announce: announceItem,
  // It has none.
  dropFlags() {},
};

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

/** Items that carry a summary from an earlier compaction, as an upstream without compaction understands them. */
export function replayItems(items: readonly unknown[]): readonly unknown[] {
  const at = items.findLastIndex((item) => isJson(item) && item["type"] === "compaction");
  if (at < 0) return items;
  const text = unsealSummary((items[at] as Json)["encrypted_content"]);
  if (text === undefined) return items;
  // Messages of the user that stand before the summary were put there by the compaction itself.
  const kept = items.slice(0, at).filter((item) => isJson(item) && item["role"] === "user");
  return [
    ...kept,
    { role: "user", content: [{ type: "input_text", text: summaryText(text) }] },
    ...items.slice(at + 1),
  ];
}

function responsesAnswer(made: MadeSummary, { body }: SummarizedRequest): { json: Json; events: Json[] } {
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
function itemEvents(item: Json): Json[] {
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

function compactionItem(text: string): Json {
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

function announceItem(made: MadeSummary): Announcement {
  const part = compactionItem(made.text);
  const withItem = (response: Json): Json =>
    listOf(response["output"]).length === 0 && response["status"] === "in_progress"
      ? response
      : { ...response, output: [part, ...listOf(response["output"])] };
  return {
    part,
    json: withItem,
    messages: (answer) => (answer.length > 0 ? [part, ...answer] : []),
    stream(most) {
      let number = 0;
      let isAdded = false;
      return rewriteEvents((event) => {
        const added: Json[] = [];
        // Before the first item of the answer, or at the end of an answer that has none.
        if (!isAdded && event["type"] !== "response.created" && event["type"] !== "response.in_progress") {
          isAdded = true;
          added.push(...itemEvents(part));
        }
        const index = numberOf(event["output_index"]);
        const { response } = event;
        const shifted: Json = {
          ...event,
          ...(index !== undefined && { output_index: index + 1 }),
          ...(isJson(response) && { response: withItem(response) }),
        };
        return [...added, shifted].map((one) => ({ ...one, sequence_number: number++ }));
      }, most);
    },
  };
}

function plainId(): string {
  return crypto.randomUUID().replaceAll("-", "");
}
