import { parseReadable, stringifyDeep } from "../../core/deep-json.ts";
import { isRecord } from "../../core/is-record.ts";

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
