import { existsSync, readdirSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { readLogs } from "../../src/apis/logs/index.ts";
import type { Message } from "../../src/core/types.ts";
import { toWire, type WireTranscript } from "../../src/testing/arbitraries/index.ts";
import { dialectOf } from "./dialects.ts";

/** Recorded sessions for measuring. They lie beside the repository and are never part of it. */
const DATA = new URL("../../../shared/data/", import.meta.url);
const FOLDERS = ["agent-sessions/dev/", "pi-mono/", "openhands/", "swe-agent/", "mtrag/"];

export interface Session {
  readonly name: string;
  readonly messages: readonly Message[];
}

/** Whether there is anything to measure on. */
export const hasSessions = existsSync(DATA);

/** Paths of the recorded files, in a fixed order. */
export function sessionFiles(): string[] {
  return FOLDERS.flatMap((folder) => {
    const url = new URL(folder, DATA);
    if (!existsSync(url)) return [];
    return readdirSync(url)
      .filter((file) => file.endsWith(".gz"))
      .sort()
      .map((file) => folder + file);
  });
}

/** The conversations of one file in core form. */
export function readSessions(file: string): Session[] {
  const text = gunzipSync(readFileSync(new URL(file, DATA))).toString("utf8");
  return readLogs(text, { name: file }).map((log, at) => {
    const dialect = dialectOf(log.dialect);
    const messages = log.messages.map((message) => dialect.read(message as object));
    const system: Message[] =
      log.system === undefined ? [] : [dialect.read({ role: "system", content: log.system } as object)];
    return { name: at === 0 ? file : `${file}#${at + 1}`, messages: [...system, ...messages] };
  });
}

/** The session as a client of the dialect would have sent it: one message per step, results together where they must be. */
export function sessionWire(id: string, session: Session): WireTranscript {
  if (id === "openai-responses") return toWire(id, session.messages);
  const grouped: Message[] = [];
  for (const message of session.messages) {
    const last = grouped.at(-1);
    if (
      last !== undefined &&
      last.role === message.role &&
      (message.role === "assistant" || message.role === "tool")
    )
      grouped[grouped.length - 1] = { ...last, parts: [...last.parts, ...message.parts] };
    else grouped.push(message);
  }
  return toWire(id, grouped);
}
