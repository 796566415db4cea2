import type { Run } from "../../core/types.ts";

/** Messages as summaries name them: `#12–18`, or `#12` for a single one. */
export function pointerTo({ from, to }: Run): string {
  return to - from <= 1 ? `#${from + 1}` : `#${from + 1}–${to}`;
}

/** `#12`, `#12–18`, `(#12, #15–18)` at the end of a line: where a line of a record rests on the transcript. */
export const POINTED = /#(\d+)(?:\s?[–-]\s?#?(\d+))?/g;
const ONE = "#\\d+(?:\\s?[–-]\\s?#?\\d+)?";
const SEVERAL = `${ONE}(?:(?:,|;| and)?\\s*${ONE})*`;
const POINTERS = new RegExp(`\\s*[([]?${SEVERAL}[)\\]]?(?=[.;]?\\s*$)`);
const BRACKETED = new RegExp(` ?[([]${SEVERAL}[)\\]]`, "g");
const AT_START = new RegExp(`^(\\s*(?:[-*]\\s+)?)${SEVERAL}:?\\s+(?=\\S)`);
/** Where a line's pointers begin at the earliest, from its end (characters): the search for them takes a while in long lines. */
const LONGEST = 200;

/** A record without the pointers at the ends of its lines: what its length is measured by. */
export function withoutPointers(text: string): string {
  if (!text.includes("#")) return text;
  return text
    .split("\n")
    .map((line) => {
      const from = Math.max(0, line.length - LONGEST);
      return line.slice(0, from) + line.slice(from).replace(POINTERS, "");
    })
    .join("\n");
}

/**
 * A text without any pointers: whoever reads it doesn't have the messages. In brackets they leave from anywhere, bare ones from
 * the ends and starts of lines: an issue's number inside of a sentence stays.
 */
export function forReaders(text: string): string {
  const lines = text.split("\n").map((line) => line.replace(BRACKETED, "").replace(AT_START, "$1"));
  return withoutPointers(lines.join("\n"));
}

/** The newest message that a line points at (its number, from 1); undefined where it has no pointer. */
export function newestPointer(line: string): number | undefined {
  const numbers = POINTERS.exec(line.slice(-LONGEST))?.[0].match(/\d+/g)?.map(Number);
  return numbers && Math.max(...numbers);
}
