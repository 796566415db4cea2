import { isExactNumber } from "../../core/exact-json.ts";
import { isRecord } from "../../core/is-record.ts";

/** Reading answers that may have any shape: nothing here throws. */

export type Json = Readonly<Record<string, unknown>>;

/** The object, or an empty one. */
export const obj = (value: unknown): Json => (isRecord(value) ? value : {});

/** The text, or the empty text. */
export const str = (value: unknown): string => (typeof value === "string" ? value : "");

/** The list, or an empty one. */
export const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** A count of tokens; undefined for anything that isn't one. */
export function count(value: unknown): number | undefined {
  const number = isExactNumber(value) ? Number(value.rawJSON) : value;
  return typeof number === "number" && Number.isFinite(number) && number >= 0 ? number : undefined;
}
