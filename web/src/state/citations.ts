/** A piece of a summary: words, or a pointer at messages. */
export type Piece =
  | { readonly type: "text"; readonly text: string }
  /** `from` and `to` are indexes from 0, `to` included. */
  | { readonly type: "pointer"; readonly text: string; readonly from: number; readonly to: number };

/** `#12`, `#12–18`, `#12-#18`: numbers from 1. Not inside words, colours or links such as `page#3`. */
const POINTER = /(?<![\w#&/])#(\d{1,6})(?:\s?[–-]\s?#?(\d{1,6}))?(?![\w])/g;

/** Finds the pointers at messages in a summary's text. Its numbers count `lead` messages that indexes don't. */
export function splitPointers(text: string, lead = 0): readonly Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const match of text.matchAll(POINTER)) {
    const from = Number(match[1]) - 1 - lead;
    const to = match[2] === undefined ? from : Number(match[2]) - 1 - lead;
    if (to < 0 || to < from) continue;
    if (match.index > end) pieces.push({ type: "text", text: text.slice(end, match.index) });
    pieces.push({ type: "pointer", text: match[0], from: Math.max(0, from), to });
    end = match.index + match[0].length;
  }
  if (end < text.length) pieces.push({ type: "text", text: text.slice(end) });
  return pieces;
}
