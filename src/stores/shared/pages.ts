import { StoreError } from "../../core/errors.ts";

/** Conversations on a page. */
export const PAGE = { default: 50, max: 500 } as const;

/** Requests in one answer. */
export const REQUESTS = { default: 100, max: 2_000 } as const;

/** Lines of a live stream in one answer. Each may have hundreds of kilobytes. */
export const STREAM_LINES = 100;

/** Live streams of one tenant that stay; the one that was used last longest ago gives way. */
export const STREAMS_OF_TENANT = 64;

/** How many hashes of a transcript's end are looked up first: almost always one of them is known. */
export const NEWEST_HASHES = 32;

/** Branches that are compared with what a client says. */
export const BRANCHES = 8;

/** How long an ended lease is remembered, for its fence. */
export const LEASE_MEMORY_MS = 24 * 60 * 60 * 1_000;

/** How many rows one answer has: as many as were asked for, at least one and at most the limit's own maximum. */
export function pageSize(
  asked: number | undefined,
  limit: { readonly default: number; readonly max: number },
): number {
  const number = asked !== undefined && Number.isFinite(asked) ? Math.floor(asked) : limit.default;
  return Math.max(1, Math.min(limit.max, number));
}

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
