import { isJson, listOf, numberOf, parseJson } from "../wires/json.ts";
import type { Json, Wire } from "../wires/wire.ts";
import { compactionBlock, compactionItem, type MadeSummary } from "./compaction-answer.ts";

/** A compaction that was made on the way, to stand first in the answer as the provider's own would. */
export interface Announcement {
  /** The block or item that the client keeps and sends back. */
  readonly part: Json;
  /** The answer with it. */
  json(answer: Json): Json;
  /** The events of a stream with it. */
  stream(): (piece: Buffer, isLast: boolean) => Buffer;
  /** The answer's messages with it, for the transcript. */
  messages(answer: readonly unknown[]): readonly unknown[];
}

export function announceCompaction(wire: Wire, made: MadeSummary): Announcement {
  return wire.api === "messages" ? announceBlock(made) : announceItem(made);
}

function announceBlock(made: MadeSummary): Announcement {
  const part = compactionBlock(made.text);
  const withUsage = (usage: unknown): unknown =>
    isJson(usage)
      ? {
          ...usage,
          iterations: [
            { type: "compaction", input_tokens: made.input, output_tokens: made.output },
            ...listOf(usage["iterations"]),
          ],
        }
      : usage;
  return {
    part,
    json: (answer) => ({
      ...answer,
      content: [part, ...listOf(answer["content"])],
      usage: withUsage(answer["usage"]),
    }),
    messages: ([first, ...rest]) =>
      isJson(first) ? [{ ...first, content: [part, ...contentOf(first)] }, ...rest] : [],
    stream: () =>
      rewriteEvents((event) => {
        if (event["type"] === "message_start") return [event, ...blockEvents(made.text)];
        if (event["type"] === "message_delta") return [{ ...event, usage: withUsage(event["usage"]) }];
        const index = numberOf(event["index"]);
        return [index === undefined ? event : { ...event, index: index + 1 }];
      }),
  };
}

function contentOf(message: Json): readonly unknown[] {
  const { content } = message;
  return typeof content === "string" ? [{ type: "text", text: content }] : listOf(content);
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
    stream() {
      let number = 0;
      let isTold = false;
      return rewriteEvents((event) => {
        const told: Json[] = [];
        // Before the first item of the answer, or at the end of an answer that has none.
        if (!isTold && event["type"] !== "response.created" && event["type"] !== "response.in_progress") {
          isTold = true;
          told.push(...itemEvents(part));
        }
        const index = numberOf(event["output_index"]);
        const { response } = event;
        const shifted: Json = {
          ...event,
          ...(index !== undefined && { output_index: index + 1 }),
          ...(isJson(response) && { response: withItem(response) }),
        };
        return [...told, shifted].map((one) => ({ ...one, sequence_number: number++ }));
      });
    },
  };
}

/** The events of an item that stands first. */
export function itemEvents(item: Json): Json[] {
  return [
    { type: "response.compaction.compacting", item_id: item["id"], output_index: 0 },
    { type: "response.output_item.added", output_index: 0, item },
    { type: "response.output_item.done", output_index: 0, item },
  ];
}

/** Passes the events of a stream through `change`; whatever isn't an event of JSON stays as it is. */
function rewriteEvents(change: (event: Json) => readonly Json[]): (piece: Buffer, isLast: boolean) => Buffer {
  let rest = "";
  const decoder = new TextDecoder();
  return (piece, isLast) => {
    const text = rest + decoder.decode(piece, { stream: !isLast });
    const events = text.replaceAll("\r\n", "\n").split("\n\n");
    // What stands behind the last empty line isn't whole yet.
    rest = isLast ? "" : events.pop()!;
    return Buffer.from(events.map((event, index) => rewrite(event, index === events.length - 1)).join(""));
  };

  function rewrite(event: string, isNewest: boolean): string {
    const line = event.split("\n").find((one) => one.startsWith("data:"));
    const data = line === undefined ? undefined : parseJson(line.slice("data:".length));
    if (!isJson(data)) return isNewest && event === "" ? "" : `${event}\n\n`;
    return change(data)
      .map((one) => `event: ${String(one["type"])}\ndata: ${JSON.stringify(one)}\n\n`)
      .join("");
  }
}
