/** An object whose fields can be looked at. Arrays are none: no wire format, option or record is one. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
