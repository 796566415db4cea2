import { StringDecoder } from "node:string_decoder";
import { createParser } from "eventsource-parser";
import type { ChatEvent } from "../api.ts";
import { isJson, type Json, parseJson } from "../http/json.ts";
import type { Wire } from "../wires/wire.ts";

/** Reads a streamed answer piece by piece and tells the page what came. */
export interface DeltaReader {
  push(piece: Buffer): void;
  /** Everything that came. */
  text(): string;
}

export function createDeltaReader(wire: Wire, send: (event: ChatEvent) => void): DeltaReader {
  const decoder = new StringDecoder("utf8");
  let all = "";
  const parser = createParser({
    onEvent({ data }) {
      const told = parseJson(data);
      const event = isJson(told) ? deltaOf(wire, told) : undefined;
      if (event) send(event);
    },
  });
  return {
    push(piece) {
      const text = decoder.write(piece);
      all += text;
      parser.feed(text);
    },
    text: () => all,
  };
}

function deltaOf(wire: Wire, data: Json): ChatEvent | undefined {
  const told = wire.delta(data);
  if (told?.text) return { type: "text", text: told.text };
  if (told?.reasoning) return { type: "reasoning", text: told.reasoning };
  return undefined;
}
