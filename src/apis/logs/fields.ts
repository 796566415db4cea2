import { isExactNumber, stringifyDeep } from "../../core/json.ts";
import { isJson, listOf, obj } from "../shared/fields.ts";

/** Safe access to JSON of unknown shape: beside what all readers of JSON have, what logs need. */
export type Fields = Readonly<Record<string, unknown>>;
export { isJson as isFields, listOf, obj as fieldsOf };

/** A text that is not empty. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

/** Numbers below this are seconds, not milliseconds (it is the year 1973 in milliseconds). */
const SECONDS_BELOW = 1e11;
/** Milliseconds of the last day that JavaScript knows. A larger number is no time, and databases can't hold it. */
const LAST_DAY = 8.64e15;

/** Epoch milliseconds of an ISO date, of seconds or of milliseconds. */
export function timeOf(time: unknown): number | undefined {
  const value = isExactNumber(time) ? Number(time.rawJSON) : time;
  if (typeof value === "number" && value > 0 && value <= LAST_DAY) {
    return value < SECONDS_BELOW ? Math.round(value * 1000) : value;
  }
  if (typeof value !== "string") return undefined;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : date;
}

export function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  return listOf(content)
    .map((part) => (typeof part === "string" ? part : (textOf(obj(part).text) ?? "")))
    .filter((text) => text !== "")
    .join("\n");
}

/** The parts of a `content`, also where it is a plain text. */
export const partsOf = (content: unknown): readonly unknown[] => {
  const text = textOf(content);
  return text === undefined ? listOf(content) : [{ type: "text", text }];
};

/** JSON text of tool arguments, whether they came as text or as an object. */
export const argsText = (value: unknown): string =>
  typeof value === "string" ? value : stringifyDeep(value ?? {});

/** A call as Chat Completions has it. */
export const chatCall = (id: unknown, name: unknown, args: unknown): Fields => ({
  id: id ?? "",
  type: "function",
  function: { name: textOf(name) ?? "", arguments: argsText(args) },
});

/** What can be read of a message's content: the very same if all of it can. */
export function readableContent(content: unknown): unknown {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return [];
  return content.every(isReadablePart) ? content : content.filter(isReadablePart);
}

/** Is a value a part of a message? One that says it is a text has one. */
export const isReadablePart = (part: unknown): boolean =>
  isJson(part) && typeof part.type === "string" && (part.type !== "text" || typeof part.text === "string");

/** Is a value a text, or a list that may hold some? What is missing says nothing, and isn't damaged. */
export const isReadableText = (value: unknown): boolean =>
  value === undefined || value === null || typeof value === "string" || Array.isArray(value);

/** Are most of the values of a list what a format's messages are? The others are damaged. */
export const areMostly = (values: readonly unknown[], isOne: (value: unknown) => boolean): boolean =>
  values.filter(isOne).length > values.length / 2;
