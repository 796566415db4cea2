/**
 * The tag around a summary message. Hosts sometimes feed a view back as their transcript, so our own messages must be
 * recognisable; and text from users and tools must not be able to close the tag and speak outside of it.
 */

export const OPENING = "<conversation-summary>";
export const CLOSING = "</conversation-summary>";

const TAG_INSIDE = /<(\/?)(conversation-summary)/gi;

/** Content that can neither open nor close the tag. */
export function escapeMarkers(text: string): string {
  return text.includes("conversation-summary") || /conversation-summary/i.test(text)
    ? text.replace(TAG_INSIDE, "&lt;$1$2")
    : text;
}

/** Is this text a summary message of ours? */
export function isSummaryMessage(text: string): boolean {
  const start = text.trimStart();
  return start.startsWith(OPENING) && text.includes(CLOSING);
}
