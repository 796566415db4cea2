import { isExactNumber } from "../../core/exact-json.ts";
import { isRecord } from "../../core/is-record.ts";

/** A JSON object as it came over the wire. */
export type Json = { readonly [key: string]: unknown };

export function isJson(value: unknown): value is Json {
  return isRecord(value) && !isExactNumber(value);
}

export function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

export function numberOf(value: unknown): number | undefined {
  const number = isExactNumber(value) ? Number(value.rawJSON) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}

/** The texts of a content: the content itself, or those of its parts (empty where one has none). */
export function textsOf(content: unknown): string[] {
  if (typeof content === "string") return [content];
  return listOf(content).map((part) => (isJson(part) ? (textOf(part["text"]) ?? "") : ""));
}

/** The text as JSON, its numbers as they were written; undefined if it isn't. */
export { tryParseExact as parseJson } from "../../core/exact-json.ts";
