import type { EditCursor } from "./edit-cursor.ts";

/** Walks a list of wire parts with the cursor. Parts that aren't named are the same objects; so is an untouched list. */
export function editParts<P>(
  parts: readonly P[],
  cursor: EditCursor,
  format: { readonly isReasoning: (part: P) => boolean; readonly replace: (part: P, text: string) => P },
): readonly P[] {
  let touched = false;
  const next: P[] = [];
  for (const part of parts) {
    if (format.isReasoning(part)) {
      if (cursor.strip) touched = true;
      else next.push(part);
      continue;
    }
    const text = cursor.next();
    if (text !== undefined) touched = true;
    next.push(text === undefined ? part : format.replace(part, text));
  }
  return touched ? next : parts;
}

/** Whether two objects hold the very same fields: an edit that changed nothing returns its input. */
export function sameFields(before: object, after: object): boolean {
  const a = before as Readonly<Record<string, unknown>>;
  const b = after as Readonly<Record<string, unknown>>;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => key in b && a[key] === b[key]);
}
