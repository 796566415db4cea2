import { StoreError } from "../../core/errors.ts";

/** Errors that say so. */
const notFound = new WeakSet<StoreError>();

/** There is no such conversation: never was, was deleted, or belongs to another tenant. */
export function conversationNotFound(operation: string, id: string): StoreError {
  const error = new StoreError({
    operation,
    message: `there is no conversation ${id}.`,
    fix: "It may have been deleted; leave `conversation` out to begin a new one.",
  });
  notFound.add(error);
  return error;
}

/** The message that new ones should follow isn't part of the conversation. */
export function anchorNotFound(id: string): StoreError {
  return new StoreError({
    operation: "append",
    message: `conversation ${id} doesn't hold the message that the new ones follow.`,
    fix: "Look the transcript up with `find` and append what comes after the messages that match.",
  });
}

/** Does the store say that a conversation isn't there? */
export function isConversationNotFound(error: unknown): boolean {
  return error instanceof StoreError && notFound.has(error);
}

/** Codes that say of the data that no database takes it (PostgreSQL's classes, SQLite's lowest bytes). */
const BAD_DATA = /^(?:22|23|54)/;
const BAD_DATA_SQLITE = new Set([18, 19, 20, 25]);

/** Will the store never take this, whatever becomes of the store? */
export function isForGood(error: unknown): boolean {
  if (isRefusal(error)) return true;
  const { code, errcode } = (error instanceof StoreError ? error.cause : error) as {
    code?: unknown;
    errcode?: number;
  };
  return BAD_DATA.test(String(code)) || BAD_DATA_SQLITE.has((errcode ?? 0) & 0xff);
}

/** Does the store refuse something for what is or isn't in it? A database that fails is told with its cause, and may work a moment later. */
export function isRefusal(error: unknown): boolean {
  return error instanceof StoreError && error.cause === undefined;
}
