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
export const count = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;

/** The value of a JSON text, or undefined. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
