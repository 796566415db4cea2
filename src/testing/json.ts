/** Reading bodies of unknown shape. Apart from `src/models`, so that a misreading there can't hide itself here. */
export type Json = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export const obj = (value: unknown): Json => (isObject(value) ? value : {});
export const str = (value: unknown): string => (typeof value === "string" ? value : "");
export const objects = (value: unknown): readonly Json[] =>
  Array.isArray(value) ? value.filter(isObject) : [];
