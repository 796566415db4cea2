import { hash } from "node:crypto";
import pg from "pg";
import { numberedOnce, runSoon, type Script, type Statement } from "../sql/script.ts";
import type { Explained } from "../sql/sql-engine.ts";

/** What is needed of a pool of `pg`. */
export interface PostgresPool {
  connect(): Promise<{ release(error?: boolean | Error): void }>;
  end(): Promise<void>;
}

/** Connections that may break without ending the process. */
const heard = new WeakSet<PreparingClient>();

export async function connectTo(pool: PostgresPool): Promise<PreparingClient> {
  const client = (await pool.connect()) as unknown as PreparingClient;
  if (!heard.has(client)) {
    heard.add(client);
    // The query that is under way fails, which says enough. Without a listener the event would end the process, and a pool hears
    // only connections that nobody uses.
    client.on?.("error", () => {});
  }
  return client;
}

/** What a connection of `pg` can do. */
export interface PreparingClient {
  query<R = unknown>(query: {
    readonly text: string;
    readonly name?: string | undefined;
    readonly values?: readonly unknown[];
    readonly query_timeout?: number;
    readonly types?: object;
  }): Promise<{
    readonly rows: readonly R[];
  }>;
  release(error?: Error): void;
  on?(event: "error", listener: () => void): unknown;
}

/** Names of prepared statements: what has one is parsed and planned once for each connection. */
export interface StatementNames {
  /** Undefined for a statement that is sent as it is. */
  of(text: string): string | undefined;
  /** All statements get another name, because a newer node has changed a table that they were prepared for. */
  renew(): void;
}

/** Others, which change the schema, run once. */
const IS_PLANNED = /^\s*(?:select|insert|update|delete|with)\b/i;
/** Beyond these a statement is sent as it is. */
const MAX_NAMES = 200;
/** Several stores may share a pool, so that a name has to say which statement it means (characters of its hash). */
const NAME_CHARS = 16;

export function statementNames(): StatementNames {
  const names = new Map<string, string>();
  let generation = 0;
  return {
    of(text) {
      const known = names.get(text);
      if (known !== undefined || names.size >= MAX_NAMES || !IS_PLANNED.test(text)) return known;
      const name = `precis_${hash("sha256", text, "hex").slice(0, NAME_CHARS)}_${generation}`;
      names.set(text, name);
      return name;
    },
    renew() {
      names.clear();
      generation++;
    },
  };
}

/** A table has another column than when the statement was prepared. */
function isOutdated(error: unknown): boolean {
  return (
    error instanceof Error && "code" in error && error.code === "0A000" && /cached plan/.test(error.message)
  );
}

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
function hungOf(error: unknown): Error | undefined {
  return error instanceof Error && HUNG.test(error.message) ? error : undefined;
}

/** Which PostgreSQL an error is about. */
interface Place {
  readonly where: string;
  /** What user, password and database are given in. */
  readonly source: string;
}

/** What errors mean for the person who runs PostgreSQL, by their codes or their words; the first that fits is told. */
function meaningsOf(
  { where, source }: Place,
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
    {
      when: "28P01 28000",
      message: `${where} refused the user or password.`,
      fix: `Check both in ${source}.`,
    },
    {
      when: "3D000",
      message: `the database of ${where} doesn't exist.`,
      fix: `Create it, or name another in ${source}.`,
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
    { when: "25006", message: `${where} is read-only.`, fix: `Name the primary server in ${source}.` },
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

/** Begins a transaction that sees one moment and changes nothing. */
export const BEGIN_SNAPSHOT = "begin isolation level repeatable read read only";

/** Types of PostgreSQL whose values are numbers here, which `pg` gives as texts: `bigint`, and sums of it. */
const LARGE_NUMBERS = new Set([20, 1700]);
const types = {
  getTypeParser: (type: number, format?: "text" | "binary"): unknown =>
    LARGE_NUMBERS.has(type) ? Number : pg.types.getTypeParser(type, format as "text"),
};

/** Runs statements of scripts. Each is parsed and planned once for each connection. */
export function statementRunner(
  client: PreparingClient,
  names: StatementNames | undefined,
): (statement: Statement) => Promise<readonly unknown[]> {
  return async ({ sql, parameters }) => {
    const text = numberedOnce(sql);
    const { rows } = await client.query({ text, name: names?.of(text), values: parameters, types });
    return rows;
  };
}

/** Runs a script that changes nothing, and gives the connection back. */
export async function readAndRelease<T>(
  client: PreparingClient,
  names: StatementNames | undefined,
  script: Script<T>,
): Promise<T> {
  const run = statementRunner(client, names);
  let broken: Error | undefined;
  try {
    return await runSoon(script, (statement) =>
      run(statement).catch((error: unknown) => {
        broken = hungOf(error);
        if (!names || !isOutdated(error)) throw error;
        names.renew();
        return run(statement);
      }),
    );
  } finally {
    client.release(broken);
  }
}

/** Runs a script as a transaction, and gives the connection back. */
export async function runAndRelease<T>(
  client: PreparingClient,
  names: StatementNames | undefined,
  script: Script<T>,
): Promise<T> {
  let broken: Error | undefined;
  try {
    await client.query({ text: "begin" });
    const value = await runSoon(script, statementRunner(client, names));
    await client.query({ text: "commit" });
    return value;
  } catch (error) {
    if (isOutdated(error)) names?.renew();
    broken = hungOf(error);
    if (!broken)
      await client.query({ text: "rollback" }).catch((reason: unknown) => {
        // A connection that can't even do that is of no use to anybody.
        broken = reason instanceof Error ? reason : new Error(String(reason));
      });
    throw error;
  } finally {
    client.release(broken);
  }
}
