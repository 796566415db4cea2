import { StringDecoder } from "node:string_decoder";
import type { ChatEvent } from "../api.ts";
import { isJson, listOf, parseJson, textOf } from "../http/json.ts";
import type { Json, Wire } from "../wires/wire.ts";

/** Reads a streamed answer piece by piece and tells the page what came. */
export interface DeltaReader {
  push(piece: Buffer): void;
  /** Everything that came. */
  text(): string;
}

export function createDeltaReader(wire: Wire, send: (event: ChatEvent) => void): DeltaReader {
  const decoder = new StringDecoder("utf8");
  let all = "";
  let rest = "";
  return {
    push(piece) {
      const text = decoder.write(piece);
      all += text;
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const data = line.startsWith("data:") ? parseJson(line.slice("data:".length)) : undefined;
        const event = isJson(data) ? deltaOf(wire, data) : undefined;
        if (event) send(event);
      }
    },
    text: () => all,
  };
}

function deltaOf(wire: Wire, data: Json): ChatEvent | undefined {
  const told =
    wire.api === "chat"
      ? chatDelta(data)
      : wire.api === "messages"
        ? messagesDelta(data)
        : responsesDelta(data);
  if (told?.text) return { type: "text", text: told.text };
  if (told?.reasoning) return { type: "reasoning", text: told.reasoning };
  return undefined;
}

interface Delta {
  readonly text?: string | undefined;
  readonly reasoning?: string | undefined;
}

function chatDelta(data: Json): Delta | undefined {
  const choice = listOf(data["choices"])[0];
  const delta = isJson(choice) ? choice["delta"] : undefined;
  if (!isJson(delta)) return undefined;
  return {
    text: textOf(delta["content"]),
    reasoning: textOf(delta["reasoning_content"]) ?? textOf(delta["reasoning"]),
  };
}

function messagesDelta(data: Json): Delta | undefined {
  const { delta } = data;
  if (!isJson(delta)) return undefined;
  return { text: textOf(delta["text"]), reasoning: textOf(delta["thinking"]) };
}

function responsesDelta(data: Json): Delta | undefined {
  const piece = textOf(data["delta"]);
  if (data["type"] === "response.output_text.delta") return { text: piece };
  if (data["type"] === "response.reasoning_summary_text.delta") return { reasoning: piece };
  return undefined;
}
