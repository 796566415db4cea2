/** An object whose fields can be looked at. Arrays are not records here: no wire format has an array as a message. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
