import type { DatabaseSync } from "node:sqlite";
import { stringifyDeep } from "../../core/deep-json.ts";
import { PrecisError } from "../../core/errors.ts";
import { createLogReader, type TranscriptLog } from "../../dialects/logs/index.ts";
import { FileError } from "../read-lines.ts";
import { UnreadableLog } from "./outcome.ts";

/** Where opencode keeps its sessions: one database for all of them. */
export const OPENCODE_DATABASE = /(?:^|[/\\])opencode[\w-]*\.db$/i;
/** The tables of that database that sessions are read from. */
const TABLES = ["session", "message", "part"] as const;
/** SQLite says so of a file that was a database and is damaged or cut off. */
const DAMAGED = /malformed|corrupt|disk I\/O/i;

/** A session in a database of opencode. */
export interface OpencodeSession {
  readonly id: string;
  /** When it was changed last, in milliseconds. */
  readonly updated: number;
  /** Throws `FileError` if nothing was said, and `UnreadableLog` if something was and can't be read. */
  read(): readonly TranscriptLog[];
}

/** Calls back with all sessions of a database, oldest first, while it is open. The program may be running. */
export async function withOpencodeSessions<T>(
  file: string,
  work: (sessions: readonly OpencodeSession[]) => Promise<T>,
): Promise<T> {
  const { DatabaseSync } = await import("node:sqlite");
  let database: DatabaseSync | undefined;
  let sessions: readonly OpencodeSession[];
  try {
    database = new DatabaseSync(file, { readOnly: true });
    sessions = sessionsIn(database, file);
  } catch (cause) {
    database?.close();
    throw cause instanceof FileError ? cause : unreadable(cause);
  }
  try {
    return await work(sessions);
  } finally {
    database.close();
  }
}

function unreadable(cause: unknown): FileError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return DAMAGED.test(why)
    ? new UnreadableLog(`the database is damaged (${why}). ${MEND}`, { cause })
    : new FileError(
        `this is no database of opencode that can be read (${why}). Check that it is the right file, and that it isn't in use by another program.`,
        { cause },
      );
}

const MEND = "Try a copy from a backup, or what `opencode export SESSION` writes of single sessions.";

function sessionsIn(database: DatabaseSync, file: string): OpencodeSession[] {
  checkTables(database);
  const statement = database.prepare("SELECT id, time_updated FROM session ORDER BY time_created, id");
  // One number that is too large for JavaScript would hide all sessions.
  statement.setReadBigInts(true);
  return (statement.all() as Row[]).map(({ id, time_updated }) => ({
    id: String(id),
    updated: Number(time_updated),
    read() {
      try {
        // In the form of `opencode export`, which is read already.
        const reader = createLogReader({ name: `${file}#${id}` });
        reader.push(stringifyDeep(exported(database, id)));
        return reader.endAll();
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
  const rows = database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0")
    .all() as Row[];
  const tables = new Set(rows.map(({ name }) => name));
  const missing = TABLES.filter((name) => !tables.has(name));
  if (missing.length > 0) throw new Error(`it has no table ${missing.join(", ")}`);
}

type Row = Readonly<Record<string, unknown>>;

function exported(database: DatabaseSync, id: unknown): object {
  const all = (sql: string): Row[] => database.prepare(sql).all(id as string) as Row[];
  const [session] = all("SELECT title, revert FROM session WHERE id = ?");
  const rows = all("SELECT id, data FROM message WHERE session_id = ? ORDER BY id");
  // What a person took back stands there until something else is said.
  const takenBack = session?.["revert"] ? messageIn(jsonOf("revert", id, session["revert"])) : undefined;
  const said = rows.filter((row) => takenBack === undefined || String(row["id"]) < takenBack);
  if (said.length === 0) throw new FileError("nothing was said in this session.");
  const rowsOfParts = all("SELECT id, message_id, data FROM part WHERE session_id = ? ORDER BY id");
  const parts = Map.groupBy(
    rowsOfParts.map((row) => ({ of: row["message_id"], part: jsonOf("part", row["id"], row["data"]) })),
    ({ of }) => of,
  );
  const messages = said.map((row) => {
    const info = jsonOf("message", row["id"], row["data"]);
    if (typeof info["role"] !== "string") throw damaged("message", row["id"], "says no role");
    return { info, parts: (parts.get(row["id"]) ?? []).map(({ part }) => part) };
  });
  return { info: { id: String(id), title: session?.["title"] }, messages };
}

const messageIn = ({ messageID }: Row): string | undefined =>
  typeof messageID === "string" ? messageID : undefined;

function jsonOf(what: string, id: unknown, text: unknown): Row {
  let value: unknown;
  try {
    value = typeof text === "string" ? JSON.parse(text) : undefined;
  } catch {
    // Told below, without the text: it may be long.
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw damaged(what, id, "is no JSON object");
  return value as Row;
}

const damaged = (what: string, id: unknown, problem: string): UnreadableLog =>
  new UnreadableLog(`the ${what} ${String(id).slice(0, MOST_OF_ID)} ${problem}. ${MEND}`);

/** Characters of an id that an error repeats. */
const MOST_OF_ID = 60;
