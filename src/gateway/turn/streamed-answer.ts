import { readEvents } from "../../apis/shared/events.ts";
import type { Wire, WireAnswer } from "../wires/wire.ts";

/** An answer that held nothing. */
export const NO_ANSWER: WireAnswer = { messages: [], usage: undefined, id: undefined };

/** What a stream held. One that ended in an error held no answer: the client will ask again, without what came of it. */
export function streamedAnswer(wire: Wire, text: string): WireAnswer {
  const last = readEvents(text.slice(lastEvent(text))).at(-1);
  const failed = last !== undefined && (last["type"] === "response.failed" || last["error"] != null);
  return failed ? NO_ANSWER : wire.readStream(text);
}

/** Where the last event begins that isn't the mark of the end. */
function lastEvent(text: string): number {
  const at = text.lastIndexOf("data:");
  const isMark =
    text.startsWith("[DONE]", at + "data:".length) || text.startsWith(" [DONE]", at + "data:".length);
  return Math.max(0, isMark ? text.lastIndexOf("data:", at - 1) : at);
}
