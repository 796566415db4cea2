import { isFields } from "./fields.ts";

/** What can be read of a message's content: the very same if all of it can. */
export function readableContent(content: unknown): unknown {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return [];
  return content.every(isReadablePart) ? content : content.filter(isReadablePart);
}

/** Is a value a part of a message? One that says it is a text has one. */
export const isReadablePart = (part: unknown): boolean =>
  isFields(part) && typeof part.type === "string" && (part.type !== "text" || typeof part.text === "string");

/** Is a value a text, or a list that may hold some? What is missing says nothing, and isn't damaged. */
export const isReadableText = (value: unknown): boolean =>
  value === undefined || value === null || typeof value === "string" || Array.isArray(value);

/** Are most of the values of a list what a format's messages are? The others are damaged. */
export const areMostly = (values: readonly unknown[], isOne: (value: unknown) => boolean): boolean =>
  values.filter(isOne).length > values.length / 2;
