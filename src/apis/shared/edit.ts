import { isRecord } from "../../core/json.ts";
import type { Edit } from "../../core/types.ts";

/**
 * Hands the edits of one message to a walk over its wire parts. The walk must meet the parts in the order in which
 * `read` lists them and call `next` once for each that isn't reasoning, so that both count alike.
 */
export interface EditCursor {
  readonly strip: boolean;
  readonly append: readonly string[];
  /** The new text of the part that the walk has come to, or undefined when it stays as it is. */
  next(): string | undefined;
  /** Throws when an edit named a part that the walk never came to. */
  done(): void;
}

export function editCursor(dialect: string, edits: readonly Edit[]): EditCursor {
  const replace = new Map<number, string>();
  const append: string[] = [];
  let strip = false;
  for (const edit of edits) {
    if (edit.type === "replace") replace.set(edit.part, edit.text);
    else if (edit.type === "append") append.push(edit.text);
    else strip = true;
  }
  let at = 0;
  return {
    strip,
    append,
    next() {
      const text = replace.get(at);
      replace.delete(at);
      at += 1;
      return text;
    },
    done() {
      const [missed] = replace.keys();
      if (missed === undefined) return;
      throw new Error(
        `precis: ${dialect}: an edit names part ${missed}, but the message has ${at} part(s) besides reasoning.`,
      );
    },
  };
}

/** The error for an edit of a part that the provider made and checks, or that this version doesn't know. */
export function lockedPart(dialect: string, kind: string): Error {
  return new Error(
    `precis: ${dialect}: a part of type \`${kind}\` can't be edited; keep or drop its whole message.`,
  );
}

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

/** All of a result becomes one text. A list stays a list, for the cache marker on its last text. */
export function resultContent(
  content: unknown,
  text: string,
  part: { readonly type: string; text?: unknown },
) {
  if (!Array.isArray(content)) return text;
  return [{ ...content.findLast((one: unknown) => isRecord(one) && one.type === part.type), ...part }];
}
