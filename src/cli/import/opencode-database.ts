import type { DatabaseSync } from "node:sqlite";
import { createLogReader, type TranscriptLog } from "../../dialects/logs/index.ts";
import { FileError } from "../read-lines.ts";

/** Where opencode keeps its sessions: one database for all of them. */
export const OPENCODE_DATABASE = /(?:^|[/\\])opencode[\w-]*\.db$/i;

/** A session in such a database. */
export interface OpencodeSession {
  readonly id: string;
  /** When it was changed last, in milliseconds. */
  readonly updated: number;
  read(): readonly TranscriptLog[];
}

/** Calls back with all sessions of a database, oldest first, while it is open. The program may be running. */
export async function withOpencodeSessions<T>(
  file: string,
  work: (sessions: readonly OpencodeSession[]) => Promise<T>,
): Promise<T> {
  const { DatabaseSync } = await import("node:sqlite");
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return await work(sessionsIn(database, file));
  } finally {
    database.close();
  }
}

function sessionsIn(database: DatabaseSync, file: string): OpencodeSession[] {
  let rows: Row[];
  try {
    rows = database
      .prepare("SELECT id, title, revert, time_updated FROM session ORDER BY time_created, id")
      .all() as Row[];
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new FileError(`${file}: this is no database of opencode that can be read (${why}).`);
  }
  return rows.map((row) => ({
    id: String(row["id"]),
    updated: Number(row["time_updated"]),
    read() {
      // In the form of `opencode export`, which is read already.
      const reader = createLogReader({ name: `${file}#${row["id"]}` });
      reader.push(JSON.stringify(exported(database, row)));
      return reader.endAll();
    },
  }));
}

type Row = Readonly<Record<string, unknown>>;

function exported(database: DatabaseSync, { id, title, revert }: Row): object {
  const all = (sql: string): Row[] => database.prepare(sql).all(id as string) as Row[];
  const parts = new Map<unknown, object[]>();
  for (const row of all("SELECT message_id, data FROM part WHERE session_id = ? ORDER BY id")) {
    const list = parts.get(row["message_id"]) ?? [];
    parts.set(row["message_id"], list);
    list.push(jsonOf(row["data"]));
  }
  // What a person took back stands there until something else is said.
  const { messageID } = jsonOf(revert) as { readonly messageID?: string };
  const messages = all("SELECT id, data FROM message WHERE session_id = ? ORDER BY id")
    .filter((row) => messageID === undefined || String(row["id"]) < messageID)
    .map((row) => ({ info: jsonOf(row["data"]), parts: parts.get(row["id"]) ?? [] }));
  return { info: { id, title }, messages };
}

function jsonOf(text: unknown): object {
  try {
    const value: unknown = typeof text === "string" ? JSON.parse(text) : undefined;
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}
