import { saidText } from "../../core/message-text.ts";
import type { Message } from "../../core/types.ts";
import type { Shape, TermTable } from "../material/terms.ts";
import { typedText } from "../user-words.ts";

/** What a term is worth that the newest words name, in units of a path that is surely needed. Common words say little. */
const WORTH: Readonly<Record<Shape, number>> = {
  path: 1,
  dotted: 1,
  name: 1,
  digits: 0.5,
  joined: 0.5,
  dense: 0.1,
  capitalised: 0.1,
  plain: 0.05,
};

/** The terms of the newest words, with what showing each is worth: the next step is about it. */
export function newestTerms(newest: string, table: TermTable): ReadonlyMap<number, number> {
  return new Map(table.scan(newest).map((term) => [term, WORTH[table.shapes[term]!]]));
}

/** From this worth on a term is a name that somebody asks about, not a word. */
const NAMES_SOMETHING = 0.5;

/** Ordinals of the lines that show last what the newest words name. */
export function namedLines(named: ReadonlyMap<number, number>, lastLine: Int32Array): number[] {
  const orders = new Set<number>();
  for (const [term, worth] of named) {
    const order = worth >= NAMES_SOMETHING ? (lastLine[term] ?? -1) : -1;
    if (order >= 0) orders.add(order);
  }
  return [...orders];
}

/** The newest words of the user and of the assistant. */
export function newestWords(messages: readonly Message[]): string {
  return (["user", "assistant"] as const).map((role) => newestText(messages, role)).join("\n");
}

function newestText(messages: readonly Message[], role: "user" | "assistant"): string {
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index]!;
    if (message.role !== role) continue;
    const text = saidText(message);
    if (text.trim() !== "") return role === "user" ? typedText(text) : text;
  }
  return "";
}
