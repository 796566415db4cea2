import type { Message } from "../../core/types.ts";
import { inOneLine } from "../../stores/shared/clean-text.ts";

const TITLE_CHARS = 80;
/** A title is made from the beginning of a message, tags and white space left out. */
const TITLE_FROM_CHARS = 500;

/** The first words of the user. */
export function titleOf(messages: readonly Message[]): string {
  for (const message of messages) {
    if (message.role !== "user") continue;
    for (const part of message.parts) {
      const text = part.type === "text" ? plainBeginning(part.text) : "";
      if (text !== "") return text.length <= TITLE_CHARS ? text : `${text.slice(0, TITLE_CHARS)}…`;
    }
  }
  return "";
}

/** Most messages begin with enough plain words for a title; only others are looked at further. */
function plainBeginning(text: string): string {
  const first = text.slice(0, 2 * TITLE_CHARS);
  const plain = first.includes("<") ? "" : inOneLine(first);
  if (plain.length > TITLE_CHARS) return plain;
  return inOneLine(text.slice(0, TITLE_FROM_CHARS).replace(/<[^>]{0,200}>/g, " "));
}
