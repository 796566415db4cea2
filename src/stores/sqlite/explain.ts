import type { Explained } from "../sql/sql-engine.ts";

/** Result codes of SQLite (the lowest byte; the rest says more about the same). */
const CODE = {
  busy: 5,
  locked: 6,
  readOnly: 8,
  io: 10,
  corrupt: 11,
  full: 13,
  cantOpen: 14,
  notADatabase: 26,
} as const;
const LOWEST_BYTE = 0xff;

function codeOf(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  if ("errcode" in error && typeof error.errcode === "number") return error.errcode & LOWEST_BYTE;
  return "code" in error && typeof error.code === "string" ? FILE_CODES[error.code] : undefined;
}

/** The same faults when it is a file of ours that can't be written. */
const FILE_CODES: Readonly<Record<string, number>> = {
  EACCES: CODE.readOnly,
  EPERM: CODE.readOnly,
  EROFS: CODE.readOnly,
  ENOSPC: CODE.full,
  EDQUOT: CODE.full,
  EFBIG: CODE.full,
  EIO: CODE.io,
  ENOENT: CODE.cantOpen,
  EMFILE: CODE.cantOpen,
  ENFILE: CODE.cantOpen,
};

/** Another process holds the lock. */
export function isBusy(error: unknown): boolean {
  const code = codeOf(error);
  return code === CODE.busy || code === CODE.locked;
}

/** What SQLite's result codes mean for the person who runs it. */
export function explainSqlite(error: unknown, path: string): Explained | undefined {
  switch (codeOf(error)) {
    case CODE.busy:
    case CODE.locked:
      return {
        message: `${path} is locked by another process.`,
        fix: "Wait until it is done; for many writing processes use PostgreSQL.",
      };
    case CODE.readOnly:
      return {
        message: `${path} can't be written.`,
        fix: "Check the permissions of the file and its folder.",
      };
    case CODE.cantOpen:
      return {
        message: `${path} can't be opened.`,
        fix: "Check that its folder exists and that both may be written.",
      };
    case CODE.full:
      return {
        message: `there is no space left for ${path}.`,
        fix: "Free some space; nothing is half-written.",
      };
    case CODE.io:
      return { message: `${path} can't be read or written.`, fix: "Check the disk that it is on." };
    case CODE.corrupt:
      return {
        message: `${path} is damaged.`,
        fix: "Restore it from a backup, or move it away to begin with an empty one.",
      };
    case CODE.notADatabase:
      return { message: `${path} isn't an SQLite database.`, fix: "Give another path." };
    default:
      return undefined;
  }
}
