import { stringifyDeep } from "./deep-json.ts";

/** What is nested deeper than this is compared as text, which needs no stack. */
const MAX_DEPTH = 20;

/** Are two pieces of plain data equal? In what order their fields stand doesn't matter. */
export function sameValue(a: unknown, b: unknown, depth = 0): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (depth > MAX_DEPTH) return stringifyDeep(a) === stringifyDeep(b);
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    for (let at = 0; at < a.length; at++) if (!sameValue(a[at], b[at], depth + 1)) return false;
    return true;
  }
  if (Array.isArray(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  for (let at = 0; at < keys.length; at++) {
    const key = keys[at]!;
    const one = (a as Record<string, unknown>)[key];
    const other = (b as Record<string, unknown>)[key];
    if (!Object.hasOwn(b, key) || !sameValue(one, other, depth + 1)) return false;
  }
  return true;
}
