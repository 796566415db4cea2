import { closeSync, openSync } from "node:fs";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { StoreError } from "../../core/errors.ts";
import type { Statement } from "../sql/script.ts";
import type { Explained } from "../sql/sql-engine.ts";

/** How long a statement may hold up the process while another process has the lock. */
const BUSY_TIMEOUT_MS = 50;
/** How long a transaction waits for another process's, in all; meanwhile this process goes on with other things. */
const BEGIN_TIMEOUT_MS = 15_000;
/** Pause between two tries, and how much of it is random so that two processes don't keep step. */
const BEGIN_PAUSE_MS = 4;
const BEGIN_JITTER_MS = 12;
/** Prepared statements that are kept. */
const MAX_STATEMENTS = 200;

/**
 * Of new files. A transaction writes every page that it changes to the log, and hashes change pages all over their indexes: with
 * larger pages that is more to write, with smaller ones more calls and long texts in more pieces.
 */
const PAGE_BYTES = 4_096;
/** SQLite takes the log over into the main file, within a write, when it is this long and nobody did it before. */
const LOG_BYTES = 64 * 1_024 * 1_024;

/**
 * A statement with several rows keeps the pages that it changes as they were, to take back all of it if one row can't be stored. Above
 * 64 KB they would go to a file, which took a tenth of the processor time of sixteen appends at once.
 */
export const KEEP_IN_MEMORY = "pragma temp_store = memory";
/** A vacuum, which copies the whole database first. */
export const KEEP_IN_FILES = "pragma temp_store = default";

const RETURNS_ROWS = /^\s*(select|with|pragma|explain)\b|\breturning\b/i;

/** Opens a file and sets it up: WAL, foreign keys, deleted text overwritten. */
export async function openDatabase(
  path: string,
  {
    durability,
    readOnly = false,
    busyMs = BUSY_TIMEOUT_MS,
  }: {
    readonly durability: Durability;
    readonly readOnly?: boolean;
    /** How long a statement waits for another process, holding up its own thread. */
    readonly busyMs?: number;
  },
): Promise<DatabaseSync> {
  if (!readOnly) createPrivate(path);
  const database = new DatabaseSync(path, { readOnly });
  try {
    await whenFree(() => {
      database.exec(`pragma busy_timeout = ${busyMs}`);
      if (!readOnly) {
        database.exec(`pragma page_size = ${PAGE_BYTES}`);
        refuseForeign(database, path);
        database.exec("pragma journal_mode = wal");
      }
      // In WAL mode `normal` keeps every commit when the process dies; `full` also when the power fails.
      database.exec(`pragma synchronous = ${durability === "power" ? "full" : "normal"}`);
      database.exec("pragma foreign_keys = on");
      database.exec(KEEP_IN_MEMORY);
      database.exec(`pragma wal_autocheckpoint = ${Math.round(LOG_BYTES / pageBytes(database))}`);
      if (!readOnly) database.exec("pragma secure_delete = on");
    });
  } catch (error) {
    database.close();
    throw error;
  }
  return database;
}

/** A database of another program stays as it is: not even its mode is changed. */
function refuseForeign(database: DatabaseSync, path: string): void {
  const names = database.prepare("select name from sqlite_schema").all();
  if (names.length === 0 || names.some(({ name }) => name === "precis_meta")) return;
  throw new StoreError({
    operation: "open",
    message: `${path} is a database of another program.`,
    fix: "Give another path. This file was left as it is.",
  });
}

/** Conversations are nobody else's business: a new file is its owner's alone, and SQLite gives its other files the same mode. */
export const PRIVATE = 0o600;

function createPrivate(path: string): void {
  if (path === "" || path.startsWith(":") || path.startsWith("file:")) return;
  try {
    closeSync(openSync(path, "ax", PRIVATE));
  } catch {
    // It is there already and keeps its mode, or it can't be made, which SQLite says in its own words.
  }
}

function pageBytes(database: DatabaseSync): number {
  return Number(database.prepare("pragma page_size").get()?.["page_size"]);
}

/** Runs `work`; while another process holds the lock, tries again without holding up this one. */
export async function whenFree(work: () => void): Promise<void> {
  const deadline = Date.now() + BEGIN_TIMEOUT_MS;
  for (;;) {
    try {
      work();
      return;
    } catch (error) {
      if (!isBusy(error) || Date.now() > deadline) throw error;
      const pause = BEGIN_PAUSE_MS + Math.random() * BEGIN_JITTER_MS;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}

interface Prepared {
  readonly statement: StatementSync;
  readonly returnsRows: boolean;
}

/** An open database with its prepared statements. */
export type SqliteSession = ReturnType<typeof createSession>;

export function createSession(database: DatabaseSync) {
  const statements = new Map<string, Prepared>();
  const prepare = (sql: string): Prepared => {
    const known = statements.get(sql);
    if (known) return known;
    const made = { statement: database.prepare(sql), returnsRows: RETURNS_ROWS.test(sql) };
    // All at once, because those that every request needs are prepared again within moments.
    if (statements.size >= MAX_STATEMENTS) statements.clear();
    statements.set(sql, made);
    return made;
  };
  return {
    /** Returns the rows of the statement. */
    run({ sql, parameters }: Statement): readonly unknown[] {
      const values = parameters as readonly SQLInputValue[];
      const { statement, returnsRows } = prepare(sql);
      if (returnsRows) return statement.all(...values);
      statement.run(...values);
      return [];
    },
    rollback(): void {
      try {
        database.exec("rollback");
      } catch (error) {
        // Some errors (a full disk) have ended the transaction already.
        if (!/no transaction is active/.test(String(error))) throw error;
      }
    },
    close: () => database.close(),
  };
}

/** Takes the log over into the main file, so that this is the whole database. False if somebody still reads the log: nobody waits for that. */
export function emptyLog(session: Pick<SqliteSession, "run">): boolean {
  const pragma = (text: string) => session.run({ sql: `pragma ${text}`, parameters: [] })[0];
  const { timeout } = pragma("busy_timeout") as { readonly timeout: number };
  pragma("busy_timeout = 0");
  try {
    return (pragma("wal_checkpoint(truncate)") as { readonly busy: number } | undefined)?.busy === 0;
  } finally {
    pragma(`busy_timeout = ${timeout}`);
  }
}

/** Takes over what the log has, while others read and write. What they write meanwhile stays in it. */
export function takeOverLog(session: Pick<SqliteSession, "run">): void {
  session.run({ sql: "pragma wal_checkpoint(passive)", parameters: [] });
}

/** A writer takes its lock at the start: taking it halfway fails if another process wrote in between. */
const BEGIN_WRITE: Statement = { sql: "begin immediate", parameters: [] };
/** A reader sees one moment from its first statement on. */
export const BEGIN_READ: Statement = { sql: "begin", parameters: [] };
const COMMIT: Statement = { sql: "commit", parameters: [] };

/** The process's connection to a file. `wrote` is called when a transaction is in the file. */
export function createConnection(openDatabase: () => Promise<DatabaseSync>, { wrote }: { wrote(): void }) {
  let session: SqliteSession | undefined;
  let opening: Promise<void> | undefined;
  const current = (): SqliteSession => {
    if (!session) throw new Error("the database isn't open");
    return session;
  };
  return {
    /** Once it is open, nothing more happens. */
    open(): Promise<void> {
      opening ??= openDatabase().then(
        (database) => {
          session = createSession(database);
        },
        (error: unknown) => {
          opening = undefined;
          throw error;
        },
      );
      return opening;
    },
    /** Waits only while another process writes. */
    begin(): Promise<void> | undefined {
      try {
        current().run(BEGIN_WRITE);
        return undefined;
      } catch (error) {
        if (isBusy(error)) return whenFree(() => current().run(BEGIN_WRITE));
        throw error;
      }
    },
    run: (statement: Statement) => current().run(statement),
    commit(): void {
      current().run(COMMIT);
      wrote();
    },
    rollback: () => current().rollback(),
    close(): void {
      session?.close();
      session = undefined;
    },
  };
}

/**
 * What an acknowledged write survives: the end of the process, or a power failure too. It stands apart from `node:sqlite`, so that
 * whoever compiles against the package's declarations needs no types of Node.
 */
export type Durability = "process" | "power";

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
function isBusy(error: unknown): boolean {
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
