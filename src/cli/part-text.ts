import { firstCharacters } from "../core/first-characters.ts";
import type { Message, Part } from "../core/types.ts";

/** What a part says, in plain words. Reasoning isn't told. */
export function partText(part: Part): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "tool-call":
      return `→ ${part.name}(${part.args})`;
    case "tool-result":
      return `← ${part.text}`;
    case "reasoning":
      return "";
    default:
      return `[${part.type}]`;
  }
}

/** Characters of a message that a preview is made from. */
const PREVIEW_CHARS = 500;

/** The beginning of a message, on one line. */
export function previewOf({ parts }: Pick<Message, "parts">): string {
  return firstCharacters(parts.map(partText).join(" "), PREVIEW_CHARS)
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
}

export function cut(text: string, width: number): string {
  return text.length <= width ? text : `${firstCharacters(text, Math.max(0, width - 1))}…`;
}
