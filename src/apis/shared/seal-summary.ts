import { contentHash } from "../../core/hash.ts";
import { sealText, unsealText } from "./base64.ts";
import { isJson, parseJson, textOf } from "./fields.ts";

/** Marks a summary of ours in a field that clients send back as it is. */
const MARK = "precis1.";

/** A summary as the opaque text that OpenAI's clients keep and send back. */
export function sealSummary(text: string): string {
  return `${MARK}${sealText(JSON.stringify({ text, proof: contentHash(text) }))}`;
}

/** The summary in an opaque text, if it is one of ours. */
export function unsealSummary(sealed: unknown): string | undefined {
  if (typeof sealed !== "string" || !sealed.startsWith(MARK)) return undefined;
  const value = parseJson(unsealText(sealed.slice(MARK.length)));
  const text = isJson(value) ? textOf(value["text"]) : undefined;
  if (text === undefined || !isJson(value)) return undefined;
  return value["proof"] === contentHash(text) ? text : undefined;
}

/** One made without a model has it already. */
const OPENING = "<conversation-summary>";

/** How a summary that a client sends back stands in a request to a model. */
export function summaryText(text: string): string {
  return text.startsWith(OPENING) ? text : `${OPENING}\n${text}\n</conversation-summary>`;
}
