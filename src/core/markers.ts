import type { Message } from "./types.ts";

/** Name of the marker around a summary message. */
export const SUMMARY_MARKER = "conversation-summary";

/**
 * A message that precis wrote into an earlier view. Hosts sometimes store the view and send it back as the transcript;
 * such a message must not be taken for the user's own words. A user who quotes a summary writes something around it.
 */
export function isSummary(message: Message): boolean {
  const [first] = message.parts;
  return (
    (message.role === "user" || message.role === "system") &&
    first?.type === "text" &&
    first.text.startsWith(`<${SUMMARY_MARKER}`) &&
    first.text.trimEnd().endsWith(`</${SUMMARY_MARKER}>`)
  );
}
