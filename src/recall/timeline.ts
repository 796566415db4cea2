import { firstCharacters } from "../core/first-characters.ts";
import { saidText } from "../core/message-text.ts";
import { isUserMessage, structureOf } from "../core/rounds.ts";
import type { Message } from "../core/types.ts";
import { typedText } from "../summaries/material/user-words.ts";
import { baseName, touchedFiles } from "../summaries/write/files.ts";
import { headName, sourceName } from "../summaries/write/sections.ts";
import { quoteEntry, quoteText } from "./passages.ts";

/** One turn of a conversation, in a line. */
export interface TimelineTurn {
  /** First message of the turn, and the one behind its last. */
  readonly from: number;
  readonly to: number;
  /** How the user began it, which tools were called and which files were touched. */
  readonly text: string;
}

/** Characters of the user's words, and how many files are named. */
const MAX_WORDS = 160;
const MAX_FILES = 6;

export function timelineOf(messages: readonly Message[]): TimelineTurn[] {
  return structureOf(messages).turns.map(({ from, to }) => {
    const turn = messages.slice(from, to);
    const notes = [tools(turn), files(turn)].filter((note) => note !== "");
    const words = isUserMessage(messages[from]!) ? firstWords(messages[from]!) : "";
    const quoted = quoteText(quoteEntry(from, { text: words, by: "user" }));
    const span = to - from > 1 ? quoted.replace(/^#\d+/, `#${from + 1}–${to}`) : quoted;
    return { from, to, text: [span.trimEnd(), ...notes].join(" · ") };
  });
}

function firstWords(message: Message): string {
  const text = typedText(saidText(message));
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= MAX_WORDS ? line : `${firstCharacters(line, MAX_WORDS).trimEnd()} …`;
}

function tools(turn: readonly Message[]): string {
  const counts = new Map<string, number>();
  for (const { parts } of turn)
    for (const part of parts)
      if (part.type === "tool-call") {
        const name = sourceName(part.name, "tool");
        counts.set(name, (counts.get(name) ?? 0) + 1);
      }
  return [...counts].map(([name, count]) => (count > 1 ? `${name} ×${count}` : name)).join(", ");
}

function files(turn: readonly Message[]): string {
  const names = [...new Set(touchedFiles(turn).map(({ path }) => headName(baseName(path), "file")))];
  const more = names.length > MAX_FILES ? `, … (${names.length - MAX_FILES} more)` : "";
  return `${names.slice(0, MAX_FILES).join(", ")}${more}`;
}
