import { TranscriptError } from "../../core/errors.ts";

/** An object whose fields can be looked at. Arrays are not records here: no wire format has an array as a message. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Keys named in an error text; more would bury the message. */
const MAX_KEYS_SHOWN = 6;

/** What a value is, in words for an error text. Never its content, which may be private. */
export function describeValue(value: unknown): string {
  if (value === null) return "null";
  if (value === undefined) return "undefined";
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === "string") return `a string of ${value.length} characters`;
  if (typeof value === "object") {
    const keys = Object.keys(value);
    if (keys.length === 0) return "an object without fields";
    const more = keys.length > MAX_KEYS_SHOWN ? ", …" : "";
    return `an object with the fields ${keys.slice(0, MAX_KEYS_SHOWN).join(", ")}${more}`;
  }
  return `a ${typeof value}`;
}

/** The error for something that isn't a message of the format. */
export function malformed(fields: {
  dialect: string;
  expected: string;
  found: unknown;
  fix?: string;
}): TranscriptError {
  return new TranscriptError({
    message: `${fields.dialect}: expected ${fields.expected}, found ${describeValue(fields.found)}.`,
    fix:
      fields.fix ??
      "Pass the messages as they are sent to the provider, or choose the dialect that they are in.",
  });
}
