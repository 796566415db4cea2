import { SUMMARY_MARKER } from "../core/markers.ts";

/**
 * The tag around a summary message. Hosts sometimes feed a view back as their transcript, so our own messages must be
 * recognisable; and text from users and tools must not be able to close the tag and speak outside of it.
 */

export const OPENING = `<${SUMMARY_MARKER}>`;
export const CLOSING = `</${SUMMARY_MARKER}>`;

/** Blanks and invisible characters that a model reads over: `< / conversation-summary >` closes the tag just as well. */
const INVISIBLE = "[\\s\\u00ad\\u200b-\\u200f\\u2060\\ufeff]*";
const BORDER = new RegExp(`<(?=${INVISIBLE}(?:/${INVISIBLE})?${SUMMARY_MARKER})`, "giu");

/** Content that can neither open nor close the tag; everything else stays letter for letter. */
export function escapeMarkers(text: string): string {
  return text.includes("<") ? text.replace(BORDER, "&lt;") : text;
}

/** Is this text a summary message of ours? */
export function isSummaryMessage(text: string): boolean {
  return text.trimStart().startsWith(`<${SUMMARY_MARKER}`) && text.trimEnd().endsWith(CLOSING);
}
