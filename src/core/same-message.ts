import { stringifyDeep } from "./json.ts";
import type { Message, Part } from "./types.ts";

/** Do two messages say the same, with the same calls and marks? Compared by content, never by identity. */
export function sameMessage(a: Message, b: Message): boolean {
  const ours = a.parts;
  const theirs = b.parts;
  if (a.role !== b.role || ours.length !== theirs.length) return false;
  if (a.pinned !== b.pinned || a.knowledge !== b.knowledge || a.follows !== b.follows) return false;
  for (let at = 0; at < ours.length; at++) if (!samePart(ours[at]!, theirs[at]!)) return false;
  return true;
}

/** Nearly all parts are texts, calls and results: for these the fields are named, which is several times as fast. */
function samePart(a: Part, b: Part): boolean {
  if (a.type === "text") return b.type === "text" && a.text === b.text;
  if (a.type === "tool-call")
    return (
      b.type === "tool-call" &&
      a.id === b.id &&
      a.name === b.name &&
      a.locked === b.locked &&
      a.args === b.args &&
      a.asDoubles === b.asDoubles
    );
  if (a.type === "tool-result")
    return (
      b.type === "tool-result" &&
      a.id === b.id &&
      a.name === b.name &&
      a.error === b.error &&
      a.locked === b.locked &&
      a.text === b.text &&
      sameValue(a.media, b.media)
    );
  return sameValue(a, b);
}

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
