import type { Message } from "../../core/types.ts";
import { partText } from "../part-text.ts";

/** Characters of a message that a preview is made from. */
const PREVIEW_CHARS = 500;

/** The beginning of a message, on one line. */
export function previewOf({ parts }: Pick<Message, "parts">): string {
  return parts
    .map(partText)
    .join(" ")
    .slice(0, PREVIEW_CHARS)
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
}

export function cut(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`;
}
