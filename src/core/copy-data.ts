/** A copy of plain data whose lists and objects are all its own; texts are shared, which `structuredClone` would write anew. */
export function copyData<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copyData) as T;
  const copy: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(value)) copy[name] = copyData(field);
  return copy as T;
}
