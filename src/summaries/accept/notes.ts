import { withoutPointers } from "../records/pointers.ts";
import { trimRecord } from "../records/trim-record.ts";
import { escapeText } from "../text/escape.ts";
import { hasToolCall, isGarbage, mostChars } from "./faults.ts";
import { markEchoes } from "./instruction-echoes.ts";

const OPENING = /^[ \t]*<notes(?:\s[^<>\n]*)?>/im;
/** Notes that aren't closed end where the record begins. */
const END = /<\/notes\s*>|^[ \t]*(?=<conversation-summary(?:\s[^<>\n]*)?>)/im;

/** An answer in its two parts: the notes, and the rest with the record. */
export function splitNotes(reply: string): { readonly reply: string; readonly notes: string } {
  const opening = OPENING.exec(reply);
  if (opening === null) return { reply, notes: "" };
  const inside = reply.slice(opening.index + opening[0].length);
  const end = END.exec(inside);
  // Behind a record whose notes broke off, the last line may be half of one.
  const length = end?.index ?? inside.lastIndexOf("\n") + 1;
  const after = end === null ? "" : inside.slice(end.index + end[0].length);
  return { reply: reply.slice(0, opening.index) + after, notes: inside.slice(0, length).trim() };
}

/** Models don't count well: this much over is kept. */
const MAX_OVER = 1.25;

/** Notes as they may be stored; empty where they can't be. */
export function acceptNotes(input: {
  readonly notes: string;
  /** Tokens that they may have, pointers not counted. */
  readonly cap: number;
  readonly count: (text: string) => number;
  readonly planted: readonly string[];
}): string {
  const { notes, cap, count, planted } = input;
  if (notes === "" || notes.length > mostChars(cap) || hasToolCall(notes) || isGarbage(notes)) return "";
  const { text } = markEchoes(escapeText(notes), planted);
  const kept = trimRecord({ text, cap: cap * MAX_OVER, count }).trim();
  // A line of its own can't be trimmed, and the next writer's window is for messages.
  return count(withoutPointers(kept)) > cap * MAX_OVER ? "" : kept;
}
