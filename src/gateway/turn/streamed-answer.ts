import { readEvents } from "../../apis/shared/events.ts";
import { isJson, textOf } from "../../apis/shared/fields.ts";
import { redact } from "../../models/shared/redact.ts";
import type { Wire, WireAnswer } from "../wires/wire.ts";

/** An answer that held nothing. */
export const NO_ANSWER: WireAnswer = { messages: [], usage: undefined, id: undefined };

/** An error that an upstream says within an answer, although its status is that of a good one. */
export interface SaidError {
  readonly status: number;
  readonly message: string;
}

/** What a stream held. One that ended in an error held no answer: the client will ask again, without what came of it. */
export function streamedAnswer(
  wire: Wire,
  text: string,
): { readonly answer: WireAnswer; readonly error?: SaidError } {
  const last = readEvents(text.slice(lastEvent(text))).at(-1);
  const error = errorIn(last);
  return error ? { answer: NO_ANSWER, error } : { answer: wire.readStream(text) };
}

/** The error that an event, or a whole answer, is; undefined for any other. */
export function errorIn(data: unknown): SaidError | undefined {
  if (!isJson(data)) return undefined;
  const response = data["response"];
  const error =
    data["error"] ?? (data["type"] === "response.failed" && isJson(response) && response["error"]);
  if (!error && data["type"] !== "response.failed") return undefined;
  const { code, message } = isJson(error) ? error : { code: undefined, message: error };
  return {
    // What isn't a status is a word for one; nobody knows which.
    status: typeof code === "number" && code >= 400 && code < 600 ? code : 502,
    message: redact(textOf(message) ?? "The upstream ended its answer with an error.", []),
  };
}

/** Where the last event begins that isn't the mark of the end. */
function lastEvent(text: string): number {
  const at = text.lastIndexOf("data:");
  const isMark =
    text.startsWith("[DONE]", at + "data:".length) || text.startsWith(" [DONE]", at + "data:".length);
  return Math.max(0, isMark ? text.lastIndexOf("data:", at - 1) : at);
}
