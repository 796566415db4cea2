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

/** The words of `pg` where a query took too long. Its connection still waits for the answer. */
const HUNG = /Query read timeout/;

/** The error where it leaves a connection that nobody can use any more; otherwise undefined. */
export function hungOf(error: unknown): Error | undefined {
  return error instanceof Error && HUNG.test(error.message) ? error : undefined;
}

/** Which PostgreSQL an error is about. */
interface Place {
  readonly where: string;
  /** What user, password and database are given in. */
  readonly told: string;
}

/** What errors mean for the person who runs PostgreSQL, by their codes or their words; the first that fits is told. */
function meaningsOf(
  { where, told }: Place,
  { code, isFolder }: { readonly code: string; readonly isFolder: boolean },
): readonly (Explained & { readonly when: string | RegExp })[] {
  return [
    {
      when: isFolder ? "ENOENT EACCES ENOTDIR" : "",
      message: `${where} can't be reached (${code}).`,
      fix: "Check that PostgreSQL runs, that its socket is in this folder, and that this user may use it.",
    },
    {
      when: "ECONNREFUSED ENOTFOUND EAI_AGAIN ETIMEDOUT EHOSTUNREACH ENETUNREACH EADDRNOTAVAIL EAFNOSUPPORT ECONNRESET",
      message: `${where} can't be reached (${code}).`,
      fix: "Check that PostgreSQL runs there and that host and port are right.",
    },
    {
      when: "ERR_INVALID_URL",
      message: "the URL of PostgreSQL can't be read.",
      fix: "Write it as postgres://user:password@host:port/database, with signs such as # / ? @ in the password as %23 %2F %3F %40.",
    },
    { when: "28P01 28000", message: `${where} refused the user or password.`, fix: `Check both in ${told}.` },
    {
      when: "3D000",
      message: `the database of ${where} doesn't exist.`,
      fix: `Create it, or name another in ${told}.`,
    },
    {
      when: "42501",
      message: `the user of ${where} may not do this.`,
      fix: "Give it the right to create tables in its schema.",
    },
    {
      when: "53300",
      message: `${where} has no connection left.`,
      fix: "Lower `maxConnections` of the nodes or raise `max_connections` of the server.",
    },
    {
      when: "53100",
      message: `${where} has no space left.`,
      fix: "Free some space; nothing is half-written.",
    },
    { when: "25006", message: `${where} is read-only.`, fix: `Name the primary server in ${told}.` },
    {
      when: "57P01 57P02 57P03",
      message: `${where} is stopping or starting.`,
      fix: "Try again in a moment.",
    },
    // The pool's words where every connection was taken for too long, and where a new one wasn't made in time.
    {
      when: /timeout exceeded when trying to connect/,
      message: `no connection to ${where} became free in time.`,
      fix: "Raise `maxConnections`, or look what keeps the server busy.",
    },
    {
      when: /connection timeout|timeout expired/,
      message: `${where} couldn't be connected to in time.`,
      fix: "Check host and port, firewalls between, and whether the server is overloaded.",
    },
    {
      when: HUNG,
      message: `${where} didn't answer in time.`,
      fix: "Look what keeps the server busy, or whether the network lost it.",
    },
    {
      when: /Connection terminated|not queryable/,
      message: `the connection to ${where} broke.`,
      fix: "Try again: the next call makes a new one.",
    },
  ];
}

/** What an error of PostgreSQL means, and what to do. Never names the password. */
export function explainPostgres(error: unknown, place: Place): Explained | undefined {
  const code = codeOf(error) ?? "";
  const text = error instanceof Error ? error.message : "";
  // `ENOENT` and the like are said of certificates as well.
  const isFolder = error instanceof Error && "syscall" in error && error.syscall === "connect";
  const meaning = meaningsOf(place, { code, isFolder }).find(({ when }) =>
    typeof when === "string" ? code !== "" && when.split(" ").includes(code) : when.test(text),
  );
  return meaning && { message: meaning.message, fix: meaning.fix };
}
