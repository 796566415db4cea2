import type { DatabaseSync } from "node:sqlite";
import { createLogReader, type TranscriptLog } from "../../apis/logs/index.ts";
import { counted } from "../../apis/logs/message-list.ts";
import { PrecisError } from "../../core/errors.ts";
import { firstCharacters } from "../../core/first-characters.ts";
import { stringifyDeep } from "../../core/json.ts";
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
        `this is no database of opencode that can be read (${why}). Check that it is the right file, and that it isn't in use by another program.`,
        { cause },
      );
}

const MEND = "Try a copy from a backup, or what `opencode export SESSION` writes of single sessions.";

function sessionsIn(database: DatabaseSync, file: string): OpencodeSession[] {
  checkTables(database);
  const rows = allRows(database, "SELECT id, time_updated FROM session ORDER BY time_created, id");
  return rows.map(({ id, time_updated }) => ({
    id: String(id),
    updated: Number(time_updated),
    read() {
      try {
        const { session, damages } = exported(database, id);
        // In the form of `opencode export`, which is read already.
        const reader = createLogReader({ name: `${file}#${id}` });
        reader.push(stringifyDeep(session));
        return withWarnings(damages, () => reader.endAll());
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

/** A row that can't be used. */
interface Damage {
  readonly what: "session" | "message" | "part";
  readonly id: string;
  /** Said of one row and of several. */
  readonly problem: readonly [one: string, several: string];
}

const NO_OBJECT: Damage["problem"] = ["is no JSON object", "are no JSON objects"];
const NO_ROLE: Damage["problem"] = ["says no role", "say no role"];
const NO_MESSAGE: Damage["problem"] = ["belongs to no message", "belong to no message"];
const NO_REVERT: Damage["problem"] = ["doesn't say what was taken back", "don't say what was taken back"];

function exported(database: DatabaseSync, id: unknown): { session: object; damages: readonly Damage[] } {
  const damages: Damage[] = [];
  const damaged = (what: Damage["what"], row: unknown, problem: Damage["problem"]): undefined => {
    damages.push({ what, id: firstCharacters(String(row), MOST_OF_ID), problem });
  };
  const usable = (what: Damage["what"], row: unknown, text: unknown, problem = NO_OBJECT) =>
    objectIn(text) ?? damaged(what, row, problem);
  const all = (sql: string): Row[] => allRows(database, sql, id);
  const [session] = all("SELECT title, revert FROM session WHERE id = ?");
  const rows = all("SELECT id, data FROM message WHERE session_id = ? ORDER BY id");
  // What a person took back stands there until something else is said.
  const revert = session?.["revert"] ? usable("session", id, session["revert"], NO_REVERT) : undefined;
  const takenBack = typeof revert?.["messageID"] === "string" ? revert["messageID"] : undefined;
  const said = rows.filter((row) => takenBack === undefined || String(row["id"]) < takenBack);
  const partsOf = Map.groupBy(
    all("SELECT id, message_id, data FROM part WHERE session_id = ? ORDER BY id"),
    ({ message_id }) => message_id,
  );
  if (said.length === 0 && (rows.length > 0 || partsOf.size === 0))
    throw new FileError("nothing was said in this session.");
  const messages = said.flatMap((row) => {
    const info = usable("message", row["id"], row["data"]);
    if (!info) return [];
    if (typeof info["role"] !== "string") {
      damaged("message", row["id"], NO_ROLE);
      return [];
    }
    const parts = (partsOf.get(row["id"]) ?? []).flatMap(
      (part) => usable("part", part["id"], part["data"]) ?? [],
    );
    return [{ info, parts }];
  });
  const known = new Set(rows.map((row) => row["id"]));
  for (const [message, parts] of partsOf)
    if (!known.has(message)) for (const part of parts) damaged("part", part["id"], NO_MESSAGE);
  const title = session?.["title"];
  const info = { id: String(id), ...(typeof title === "string" && { title }) };
  if (messages.length === 0 && damages[0]) throw nothingLeft(damages[0]);
  return { session: { info, messages }, damages };
}

function objectIn(text: unknown): Row | undefined {
  try {
    const value: unknown = typeof text === "string" ? JSON.parse(text) : undefined;
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Row) : undefined;
  } catch {
    return undefined;
  }
}

/** What a session's sound rows say; without any the first damaged one is why it can't be read. */
function withWarnings(
  damages: readonly Damage[],
  read: () => readonly TranscriptLog[],
): readonly TranscriptLog[] {
  const [first] = damages;
  if (!first) return read();
  const warnings = warningsOf(damages);
  try {
    return read().map((log) => ({ ...log, warnings: [...log.warnings, ...warnings] }));
  } catch (cause) {
    throw cause instanceof PrecisError ? nothingLeft(first) : cause;
  }
}

const nothingLeft = ({ what, id, problem: [one] }: Damage): UnreadableLog =>
  new UnreadableLog(`the ${what} ${id} ${one}. ${MEND}`);

/** One warning for rows of a table that have the same fault. */
function warningsOf(damages: readonly Damage[]): string[] {
  const kinds = Map.groupBy(damages, ({ what, problem: [one] }) => `${what} ${one}`);
  return [...kinds.values()].map((alike) => {
    const { what, problem } = alike[0]!;
    const ids = alike.slice(0, NAMED).map(({ id }) => id);
    const more = alike.length > NAMED ? ` and ${alike.length - NAMED} more` : "";
    const named = `${what}${alike.length > 1 ? "s" : ""} ${ids.join(", ")}${more} ${problem[alike.length > 1 ? 1 : 0]}`;
    return what === "session"
      ? `${named}: nothing was left out for it`
      : `left out what is damaged: ${named}`;
  });
}

/** Characters of an id that are repeated, and rows that one warning names. */
const MOST_OF_ID = 60;
const NAMED = 10;
