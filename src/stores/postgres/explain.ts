import type { Explained } from "../sql/sql-engine.ts";
import { isOutdated } from "./statement-names.ts";

/** Errors that go away by running the transaction again. */
const CONFLICTS: ReadonlySet<string> = new Set([
  "40001", // serialization failure
  "40P01", // deadlock
  "23503", // a text was deleted between being found and being used, or the other way round
]);

/** SQLSTATE of the server, or the system's code of a failed connection. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** Two transactions met, or a transaction and a newer schema. */
export function isConflict(error: unknown): boolean {
  const code = codeOf(error);
  return (code !== undefined && CONFLICTS.has(code)) || isOutdated(error);
}

/** `ENOENT` and the like are said of certificates as well. */
function isConnecting(error: unknown): boolean {
  return error instanceof Error && "syscall" in error && error.syscall === "connect";
}

/** What PostgreSQL's codes mean for the person who runs it. Never names the password. */
export function explainPostgres(
  error: unknown,
  {
    where,
    told,
  }: {
    /** Server and database. */
    readonly where: string;
    /** What user, password and database are given in. */
    readonly told: string;
  },
): Explained | undefined {
  const code = codeOf(error);
  const text = error instanceof Error ? error.message : "";
  switch (code) {
    case "ECONNREFUSED":
    case "ENOTFOUND":
    case "EAI_AGAIN":
    case "ETIMEDOUT":
    case "EHOSTUNREACH":
    case "ENETUNREACH":
    case "EADDRNOTAVAIL":
    case "EAFNOSUPPORT":
    case "ECONNRESET":
      return {
        message: `${where} can't be reached (${code}).`,
        fix: "Check that PostgreSQL runs there and that host and port are right.",
      };
    // Of a server that is reached by a socket in a folder.
    case "ENOENT":
    case "EACCES":
    case "ENOTDIR":
      return isConnecting(error)
        ? {
            message: `${where} can't be reached (${code}).`,
            fix: "Check that PostgreSQL runs, that its socket is in this folder, and that this user may use it.",
          }
        : undefined;
    case "ERR_INVALID_URL":
      return {
        message: "the URL of PostgreSQL can't be read.",
        fix: "Write it as postgres://user:password@host:port/database, with signs such as # / ? @ in the password as %23 %2F %3F %40.",
      };
    case "28P01":
    case "28000":
      return { message: `${where} refused the user or password.`, fix: `Check both in ${told}.` };
    case "3D000":
      return {
        message: `the database of ${where} doesn't exist.`,
        fix: `Create it, or name another in ${told}.`,
      };
    case "42501":
      return {
        message: `the user of ${where} may not do this.`,
        fix: "Give it the right to create tables in its schema.",
      };
    case "53300":
      return {
        message: `${where} has no connection left.`,
        fix: "Lower `maxConnections` of the nodes or raise `max_connections` of the server.",
      };
    case "53100":
      return { message: `${where} has no space left.`, fix: "Free some space; nothing is half-written." };
    case "25006":
      return { message: `${where} is read-only.`, fix: `Name the primary server in ${told}.` };
    case "57P01":
    case "57P02":
    case "57P03":
      return { message: `${where} is stopping or starting.`, fix: "Try again in a moment." };
    default:
      // The pool's words where every connection was taken for too long, and where a new one wasn't made in time.
      if (/timeout exceeded when trying to connect/.test(text))
        return {
          message: `no connection to ${where} became free in time.`,
          fix: "Raise `maxConnections`, or look what keeps the server busy.",
        };
      if (/connection timeout|timeout expired/.test(text))
        return {
          message: `${where} couldn't be connected to in time.`,
          fix: "Check host and port, firewalls between, and whether the server is overloaded.",
        };
      if (/Connection terminated|not queryable/.test(text))
        return {
          message: `the connection to ${where} broke.`,
          fix: "Try again: the next call makes a new one.",
        };
      return undefined;
  }
}
