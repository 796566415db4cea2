import { cutBefore } from "../core/text-slices.ts";

/** A line that only parts others, of a text or a table. */
const RULE = /^[|:+=_*~#-][\s|:+=_*~#-]{2,}$/;
/** Line numbers that file viewers put before each line. */
export const LINE_NUMBER = /^\s*\d{1,7}(?:→|\t| ?[|:] ?)/;
const SENTENCE_END = /[.!?;]\s|[。！？।；]/g;

interface Piece {
  readonly text: string;
  readonly fragment: boolean;
  readonly indented: boolean;
}

/** The lines of a text without indentation, none longer than the limit. */
export function* linePieces(text: string, limit: number): Generator<Piece> {
  let from = 0;
  while (from < text.length) {
    let to = text.indexOf("\n", from);
    if (to < 0) to = text.length;
    if (to === from) {
      from++;
      continue;
    }
    const line = text.slice(from, to).replace(LINE_NUMBER, "");
    let rest = line.trim();
    const indented = rest !== "" && !line.startsWith(rest[0]!);
    from = to + 1;
    let fragment = false;
    while (rest.length > limit) {
      const cut = cutPoint(rest, limit);
      yield { text: rest.slice(0, cut.at).trim(), fragment, indented };
      rest = rest.slice(cut.at).trim();
      fragment = !cut.ends;
    }
    if (rest.length > 0 && !RULE.test(rest)) yield { text: rest, fragment, indented };
  }
}

/** Where to cut, and whether a sentence ends there. */
function cutPoint(text: string, limit: number): { readonly at: number; readonly ends: boolean } {
  let end = 0;
  for (const match of text.slice(0, limit).matchAll(SENTENCE_END)) end = match.index + 1;
  if (end > limit / 2) return { at: end, ends: true };
  const space = text.lastIndexOf(" ", limit);
  if (space > limit / 2) return { at: space, ends: false };
  return { at: cutBefore(text, limit), ends: false };
}
