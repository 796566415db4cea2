import { shortened } from "./digest/statements.ts";

/** Each further attempt has this share of the characters of the one before. */
const SMALLER = 0.9;
/** Fewer characters than this say nothing. */
const LEAST_CHARS = 12;

/** The beginning of a text within so many tokens, cut where a sentence or a word ends; nothing where that leaves no words. */
export function cutToFit(text: string, count: (text: string) => number, cap: number): string {
  const tokens = count(text);
  if (tokens <= cap) return text;
  for (let chars = (text.length * cap) / tokens; chars >= LEAST_CHARS; chars *= SMALLER) {
    const cut = shortened(text, Math.floor(chars));
    if (count(cut) <= cap) return cut;
  }
  return "";
}
