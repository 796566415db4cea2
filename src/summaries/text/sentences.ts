import { firstCharacters } from "../../core/first-characters.ts";

/** Where a sentence ends, in scripts with and without spaces between words. Not after a single capital letter or a digit: `J. Doe`, `3. item`. */
const END = /(?<=[^\s\p{Lu}\d][.!?;…]["')\]*`]*)\s+(?=\S)|(?<=[。！？।；])/gu;

export function sentencesOf(line: string): string[] {
  return line.split(END).filter((sentence) => sentence.trim() !== "");
}

/** Where a sentence of a whole text ends: at a line break, and at a mark that a blank follows. The points in `queue.test.ts` and `osby.db` end nothing. */
const SPOKEN_END = /(?<=[.!?…]["'”’»)\]*`]{0,8})\s+|(?<=[。！？।\n])/u;

/** The sentences of a text of several lines, each with what stands in it. */
export function spokenSentences(text: string): string[] {
  return text.split(SPOKEN_END).filter((sentence) => sentence.trim() !== "");
}

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

/** A text within so many characters, cut where a sentence or a word ends. */
export function shortened(text: string, limit: number): string {
  if (text.length <= limit) return text;
  let end = 0;
  for (const match of text.slice(0, limit).matchAll(END)) end = match.index;
  if (end > limit / 2) return text.slice(0, end).trim();
  const space = text.lastIndexOf(" ", limit - 1);
  return `${firstCharacters(text, space > limit / 2 ? space : limit - 1)}…`;
}

const WORD_CHARACTER = /[\p{L}\p{N}_]/u;

/** Does a text hold words as words of their own? `main` isn't in `maintain`, and "it costs 25" not in "it costs 250". */
export function hasWords(text: string, words: string): boolean {
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1))
    if (!WORD_CHARACTER.test(text[at - 1] ?? "") && !WORD_CHARACTER.test(text[at + words.length] ?? ""))
      return true;
  return false;
}

/** Does a text end with a question? */
export const QUESTION = /[?？؟]\s*$/;
