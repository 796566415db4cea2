import { stringifyDeep } from "../../core/deep-json.ts";
import { isJson, listOf, numberOf, parseJson } from "../http/json.ts";
import type { Json, Wire } from "./wire.ts";
import {
  blockEvents,
  compactionBlock,
  compactionItem,
  compactionIteration,
  itemEvents,
  type MadeSummary,
} from "./compaction-answer.ts";

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
      isJson(first) ? [{ ...first, content: [part, ...contentOf(first)] }, ...rest] : [],
    stream() {
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
      });
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

function contentOf(message: Json): readonly unknown[] {
  const { content } = message;
  return typeof content === "string" ? [{ type: "text", text: content }] : listOf(content);
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
      .map((one) => `event: ${String(one["type"])}\ndata: ${stringifyDeep(one)}\n\n`)
      .join("");
  }
}
