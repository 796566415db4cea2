import { StoreError } from "../../core/errors.ts";

/** Where a page of conversations ended. */
export interface ListCursor {
  readonly pinned: 0 | 1;
  readonly updatedAt: number;
  readonly id: string;
}

export function writeCursor({ pinned, updatedAt, id }: ListCursor): string {
  return `${pinned}.${updatedAt}.${id}`;
}

const CURSOR = /^([01])\.(\d+)\.(.+)$/s;

export function isCursor(text: string): boolean {
  return CURSOR.test(text);
}

export function readCursor(text: string): ListCursor {
  const match = CURSOR.exec(text);
  if (match) return { pinned: match[1] === "1" ? 1 : 0, updatedAt: Number(match[2]), id: match[3]! };
  throw new StoreError({
    operation: "list",
    message: "the cursor isn't one of a page before.",
    fix: "Leave it out to begin with the first page.",
  });
}
