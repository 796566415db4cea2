import { type ApiCitations, type ApiSource, CITATION } from "../../../src/gateway/api.ts";

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

/** A piece of a text: words, or the number of a source, as it is written between brackets (`3`, `^4`). */
export type CitedPiece =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "number"; readonly text: string; readonly number: string };

/** Finds the numbers of sources in a text: all of `[3]`, and each one of `[1, 2]`. */
export function splitCitations(text: string): readonly CitedPiece[] {
  const pieces: CitedPiece[] = [];
  let end = 0;
  const add = (number: string, from: number, length: number) => {
    if (from > end) pieces.push({ type: "text", text: text.slice(end, from) });
    end = from + length;
    pieces.push({ type: "number", text: text.slice(from, end), number });
  };
  for (const match of text.matchAll(CITATION)) {
    const [all, caret = "", list, bracketed] = match;
    const numbers = [...(list ?? "").matchAll(/\d+/g)];
    if (numbers.length <= 1) add(`${caret}${Number(bracketed ?? list)}`, match.index, all.length);
    else
      for (const one of numbers)
        add(`${caret}${Number(one[0])}`, match.index + all.indexOf(list!) + one.index, one[0].length);
  }
  if (end < text.length) pieces.push({ type: "text", text: text.slice(end) });
  return pieces;
}

/** The source that a number means in a message, or without one in what precis writes. */
export function sourceOf(
  { sources, cited }: ApiCitations,
  number: string,
  message?: number,
): ApiSource | undefined {
  const own = cited.find((one) => one.message === message && one.as === number)?.number ?? number;
  return sources.find((one) => one.number === own);
}
