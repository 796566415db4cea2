import { StringDecoder } from "node:string_decoder";
import type { ApiDelta } from "../../apis/shared/api.ts";
import { dataLines, errorText, eventsIn, splitEvents } from "../../apis/shared/events.ts";
import type { ChatEvent } from "../api.ts";
import type { Wire } from "../wires/index.ts";

/** Reads a streamed answer piece by piece and tells the page what came. */
export interface DeltaReader {
  push(piece: Buffer): void;
  /** Nothing more comes. */
  end(): void;
  /** Everything that came. */
  text(): string;
  /** The words of the answer so far. */
  said(): string;
  /** The model has said all that it wanted to say. */
  isWhole(): boolean;
  /** More came than is kept. */
  isTooLong(): boolean;
  /** Why the provider gave it up, if it said so. */
  error(): string | undefined;
}

export function createDeltaReader(
  wire: Wire,
  send: (event: ChatEvent) => void,
  /** So much of an answer is kept (characters). */
  most: number,
): DeltaReader {
  const decoder = new StringDecoder("utf8");
  const split = splitEvents(most);
  const all: string[] = [];
  let size = 0;
  let said = "";
  let isWhole = false;
  let error: string | undefined;
  const take = (delta: ApiDelta): void => {
    isWhole ||= delta.isEnd === true;
    if (delta.text) {
      said += delta.text;
      send({ type: "text", text: delta.text });
    } else if (delta.reasoning) send({ type: "reasoning", text: delta.reasoning });
  };
  const read = (event: string): void => {
    isWhole ||= dataLines(event).some((line) => wire.endMarkers.includes(line.trim()));
    for (const told of eventsIn(event)) {
      error ??= errorText(told);
      const delta = wire.readEvent(told);
      if (delta) take(delta);
    }
  };
  const push = (piece: Buffer, isLast: boolean): void => {
    const fresh = decoder.write(piece);
    size += fresh.length;
    if (size > most) return;
    all.push(fresh);
    for (const { text } of split(piece, isLast)) read(text);
  };
  return {
    push: (piece) => push(piece, false),
    end: () => push(Buffer.alloc(0), true),
    text: () => all.join(""),
    said: () => said,
    isWhole: () => isWhole,
    isTooLong: () => size > most,
    error: () => error,
  };
}
