import { isExactNumber, isRecord, parseReadable, stringifyDeep } from "../../core/json.ts";

/** Reading JSON of any shape: nothing here throws. */

/** A JSON object as it came over the wire. */
export type Json = { readonly [key: string]: unknown };

export function isJson(value: unknown): value is Json {
  return isRecord(value) && !isExactNumber(value);
}

/** The object, or an empty one. */
export function obj(value: unknown): Json {
  return isJson(value) ? value : {};
}

export function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** The text, or the empty text. */
export function str(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function numberOf(value: unknown): number | undefined {
  const number = isExactNumber(value) ? Number(value.rawJSON) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

/** A count of tokens; undefined for anything that isn't one. */
export function count(value: unknown): number | undefined {
  const number = numberOf(value);
  return number !== undefined && number >= 0 ? number : undefined;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}

/** The objects of a list. */
export function objectsOf(value: unknown): readonly Json[] {
  return listOf(value).filter(isJson);
}

/** The texts of a content: the content itself, or those of its parts (empty where one has none). */
export function textsOf(content: unknown): string[] {
  if (typeof content === "string") return [content];
  return listOf(content).map((part) => (isJson(part) ? (textOf(part["text"]) ?? "") : ""));
}

/** The text as JSON, its numbers as they were written; undefined if it isn't. */
export { tryParseExact as parseJson } from "../../core/json.ts";

/** The JSON of a wire value; the empty text for nothing. Never throws: what can't be JSON isn't sent as JSON. */
export function toJson(value: unknown): string {
  if (value === undefined) return "";
  try {
    return stringifyDeep(value) ?? "";
  } catch {
    // A value that holds itself, or a big integer: no JSON has that.
    return typeof value === "object" ? Object.prototype.toString.call(value) : String(value);
  }
}

/** What should have been a name, whatever it is. Never throws: an object may bring a `toString` of its own that is no function. */
export function nameText(value: unknown): string {
  return typeof value === "object" ? toJson(value) : String(value);
}

/** Arguments as an object, for formats whose wire carries one. Text that isn't a JSON object is wrapped. */
export function toArgsObject(text: string): Record<string, unknown> {
  try {
    const value = parseReadable(text);
    if (isRecord(value)) return value;
  } catch {
    // Clipped arguments usually aren't valid JSON any more.
  }
  return { text };
}

/** Arguments as JSON text, for formats whose wire carries text that must parse. Other text is wrapped. */
export function toArgsText(text: string): string {
  try {
    JSON.parse(text);
    return text;
  } catch {
    return JSON.stringify({ text });
  }
}

/**
 * Stands where an edit would leave a message or a text part without content. Anthropic refuses empty and
 * whitespace-only text, some OpenAI-compatible servers refuse empty messages; visible text is legal everywhere.
 */
export const EMPTY_TEXT = "(empty)";

/** The text itself, or the placeholder when a provider would refuse it as empty. */
export function legalText(text: string): string {
  return text.trim() === "" ? EMPTY_TEXT : text;
}

/** Texts that are added to a text are separated from it, as paragraphs are. */
export const PARAGRAPH = "\n\n";

/** Joins the texts of several wire parts that make up one part. */
export function joinTexts(texts: readonly string[]): string {
  return texts.length === 1 ? (texts[0] ?? "") : texts.join("\n");
}
