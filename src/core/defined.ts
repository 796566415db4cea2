/** Only the fields that have a value, for objects with optional fields. */
export function defined<T extends Record<string, unknown>>(
  fields: T,
): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) kept[name] = value;
  return kept as { [K in keyof T]?: Exclude<T[K], undefined> };
}
