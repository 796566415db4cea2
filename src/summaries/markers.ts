import { SUMMARY_MARKER } from "../core/message-text.ts";

/**
 * The tag around a summary message. Hosts sometimes feed a view back as their transcript, so our own messages must be
 * recognisable; text from users and tools can't draw the tag (see `escape.ts`).
 */

export const OPENING = `<${SUMMARY_MARKER}>`;
export const CLOSING = `</${SUMMARY_MARKER}>`;

/** Does this text look like a summary message? Whether it really is one of ours, only its proof can tell. */
export function isSummaryMessage(text: string): boolean {
  return text.trimStart().startsWith(`<${SUMMARY_MARKER}`) && text.trimEnd().endsWith(CLOSING);
}
