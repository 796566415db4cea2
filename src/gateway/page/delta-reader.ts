import { StringDecoder } from "node:string_decoder";
import { createParser } from "eventsource-parser";
import type { ChatEvent } from "../api.ts";
import { isJson, parseJson } from "../http/json.ts";
import type { Delta, Wire } from "../wires/wire.ts";

/** Reads a streamed answer piece by piece and tells the page what came. */
export interface DeltaReader {
  push(piece: Buffer): void;
  /** Everything that came. */
  text(): string;
  /** The words of the answer so far. */
  said(): string;
  /** The model has said all that it wanted to say. */
  isWhole(): boolean;
  /** Why the provider gave it up, if it said so. */
  error(): string | undefined;
}

export function createDeltaReader(wire: Wire, send: (event: ChatEvent) => void): DeltaReader {
  const decoder = new StringDecoder("utf8");
  let all = "";
  let said = "";
  let isWhole = false;
  let error: string | undefined;
  const take = (delta: Delta): void => {
    isWhole ||= delta.isEnd === true;
    error ??= delta.error;
    if (delta.text) {
      said += delta.text;
      send({ type: "text", text: delta.text });
    } else if (delta.reasoning) send({ type: "reasoning", text: delta.reasoning });
  };
  const parser = createParser({
    onEvent({ data }) {
      isWhole ||= wire.endMarkers.includes(data);
      const told = parseJson(data);
      const delta = isJson(told) ? wire.delta(told) : undefined;
      if (delta) take(delta);
    },
  });
  return {
    push(piece) {
      const text = decoder.write(piece);
      all += text;
      parser.feed(text);
    },
    text: () => all,
    said: () => said,
    isWhole: () => isWhole,
    error: () => error,
  };
}
