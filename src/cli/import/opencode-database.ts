import type { DatabaseSync } from "node:sqlite";
import { createLogReader, type TranscriptLog } from "../../apis/logs/index.ts";
import { counted } from "../../apis/logs/message-list.ts";
import { PrecisError } from "../../core/errors.ts";
import { firstCharacters } from "../../core/first-characters.ts";
import { isRecord, parseJson, stringifyDeep } from "../../core/json.ts";
import { FileError } from "../read-lines.ts";
import { UnreadableLog } from "./outcome.ts";

/** Where opencode keeps its sessions: one database for all of them. */
export const OPENCODE_DATABASE = /(?:^|[/\\])opencode[\w-]*\.db$/i;
/** The tables of that database that sessions are read from. */
const TABLES = ["session", "message", "part"] as const;
/** SQLite says so of a file that was a database and is damaged or cut off. */
const DAMAGED = /malformed|corrupt|disk I\/O/i;

interface OpencodeSession {
  readonly id: string;
  /** When it was changed last, in milliseconds. */
  readonly updated: number;
  /**
   * Rows that are damaged are left out, with a warning. Throws `FileError` if nothing was said, and `UnreadableLog` if something was
   * and nothing of it can be read.
   */
  read(): readonly TranscriptLog[];
}

/** What is read from a database of opencode. */
interface OpencodeSessions {
  /** Oldest first. */
  readonly sessions: readonly OpencodeSession[];
  /** What belongs to none of them. */
  readonly warnings: readonly string[];
}

/** Calls back with all sessions of a database while it is open. The program may be running. */
export async function withOpencodeSessions<T>(
  file: string,
  work: (found: OpencodeSessions) => Promise<T>,
): Promise<T> {
  const { DatabaseSync } = await import("node:sqlite");
  let database: DatabaseSync | undefined;
  let found: OpencodeSessions;
  try {
    database = new DatabaseSync(file, { readOnly: true });
    found = { sessions: sessionsIn(database, file), warnings: strayMessages(database) };
  } catch (cause) {
    database?.close();
    throw cause instanceof FileError ? cause : unreadable(cause);
  }
  try {
    return await work(found);
  } finally {
    database.close();
  }
}

function unreadable(cause: unknown): FileError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return DAMAGED.test(why)
    ? new UnreadableLog(`the database is damaged (${why}). ${MEND}`, { cause })
    : new FileError(
        `this isn't a readable opencode database (${why}). Check that it is the right file, and that it isn't in use by another program.`,
        { cause },
      );
}

const MEND = "Try a backup, or export single sessions with `opencode export SESSION`.";

function sessionsIn(database: DatabaseSync, file: string): OpencodeSession[] {
  checkTables(database);
  const rows = allRows(database, "SELECT id, time_updated FROM session ORDER BY time_created, id");
  return rows.map(({ id, time_updated }) => ({
    id: String(id),
    updated: Number(time_updated),
    read() {
      try {
        return readSound(exported(database, id), `${file}#${id}`);
      } catch (cause) {
        if (cause instanceof FileError || cause instanceof PrecisError) throw cause;
        const why = cause instanceof Error ? cause.message : String(cause);
        throw new UnreadableLog(`the session can't be read (${why}). ${MEND}`, { cause });
      }
    },
  }));
}

/** Reading a view runs whatever statement it stands for, which need never end. */
function checkTables(database: DatabaseSync): void {
  const rows = allRows(database, "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0");
  const tables = new Set(rows.map(({ name }) => name));
  const missing = TABLES.filter((name) => !tables.has(name));
  if (missing.length > 0) throw new Error(`it has no table ${missing.join(", ")}`);
}

type Row = Readonly<Record<string, unknown>>;

function allRows(database: DatabaseSync, sql: string, ...values: readonly unknown[]): Row[] {
  const statement = database.prepare(sql);
  // One number that is too large for JavaScript would hide all rows.
  statement.setReadBigInts(true);
  return statement.all(...(values as string[])) as Row[];
}

/** Messages of sessions that aren't there. Whether the program lost the session or somebody deleted it, nobody knows. */
function strayMessages(database: DatabaseSync): string[] {
  const [found] = allRows(
    database,
    "SELECT count(*) AS n FROM message m WHERE NOT EXISTS (SELECT 1 FROM session s WHERE s.id = m.session_id)",
  );
  const count = Number(found?.["n"] ?? 0);
  return count === 0 ? [] : [`left out ${counted(count, "message")} whose session isn't in the database`];
}

/** A session in the form of `opencode export`, which is read already, and the rows of it that can't be used. */
function exported(database: DatabaseSync, id: unknown): { session: object; damaged: readonly string[] } {
  const damaged: string[] = [];
  const usable = (what: "session" | "message" | "part", row: unknown, text: unknown): Row | undefined => {
    const parsed = typeof text === "string" ? parseJson(text) : undefined;
    const isWhole = isRecord(parsed) && (what !== "message" || typeof parsed["role"] === "string");
    const value = isWhole ? parsed : undefined;
    if (!value) damaged.push(`${what} ${firstCharacters(String(row), MOST_OF_ID)}`);
    return value;
  };
  const all = (sql: string): Row[] => allRows(database, sql, id);
  const [session] = all("SELECT title, revert FROM session WHERE id = ?");
  const rows = all("SELECT id, data FROM message WHERE session_id = ? ORDER BY id");
  // What a person took back stands there until something else is said.
  const takenBack = session?.["revert"] ? usable("session", id, session["revert"])?.["messageID"] : undefined;
  const said = rows.filter((row) => typeof takenBack !== "string" || String(row["id"]) < takenBack);
  const partsOf = Map.groupBy(
    all("SELECT id, message_id, data FROM part WHERE session_id = ? ORDER BY id"),
    ({ message_id }) => message_id,
  );
  if (said.length === 0 && (rows.length > 0 || partsOf.size === 0))
    throw new FileError("this session has no messages.");
  const messages = said.flatMap((row) => {
    const info = usable("message", row["id"], row["data"]);
    const parts = partsOf.get(row["id"]) ?? [];
    if (!info) return [];
    return [{ info, parts: parts.flatMap((part) => usable("part", part["id"], part["data"]) ?? []) }];
  });
  const known = new Set(rows.map((row) => row["id"]));
  for (const [message, parts] of partsOf)
    if (!known.has(message)) damaged.push(...parts.map((part) => `part ${String(part["id"])}`));
  const title = session?.["title"];
  const info = { id: String(id), ...(typeof title === "string" && { title }) };
  return { session: { info, messages }, damaged };
}

/** What a session's sound rows say. Without any, the damaged ones are why it can't be read. */
function readSound(
  { session, damaged }: ReturnType<typeof exported>,
  name: string,
): readonly TranscriptLog[] {
  const more = damaged.length > NAMED ? ` and ${damaged.length - NAMED} more` : "";
  const named = `${damaged.slice(0, NAMED).join(", ")}${more}`;
  const reader = createLogReader({ name });
  reader.push(stringifyDeep(session));
  try {
    const logs = reader.endAll();
    if (damaged.length === 0) return logs;
    return logs.map((log) => ({ ...log, warnings: [...log.warnings, `left out what is damaged: ${named}`] }));
  } catch (cause) {
    if (damaged.length === 0 || !(cause instanceof PrecisError)) throw cause;
    throw new UnreadableLog(`it is damaged: ${named}. ${MEND}`, { cause });
  }
}

/** Characters of an id that are repeated, and rows that are named. */
const MOST_OF_ID = 60;
const NAMED = 10;
