import type { WordIndex } from "./types.ts";
import { contentWords, gathered } from "./words.ts";

/** Share of a text's words that must stand together for the text to count as there. */
const WORD_SHARE = 0.7;
/** Distinct words that are looked at. */
const MOST_WORDS = 60;
/** The stretch in which they must stand: twice the text's own length, and not less than this, in characters. */
const SHORTEST_STRETCH = 400;
const STRETCH_FACTOR = 2;

const ANSWER_SHARE = 0.8;
const ANSWER_WORDS = 40;
const ANSWER_STRETCH = 600;

/** The ER-text test: most of the text's first words stand together in the view. Paraphrase passes, chance does not. */
export function isThere(text: string, view: WordIndex): boolean {
  const words = [...new Set(contentWords(text))].slice(0, MOST_WORDS);
  return gathered(words, view, Math.max(SHORTEST_STRETCH, STRETCH_FACTOR * text.length), WORD_SHARE);
}

/** Whether the words of an answer stand together in the view; undefined for an answer without content words. */
export function answerIsThere(answer: string, view: WordIndex): boolean | undefined {
  const words = [...new Set(contentWords(answer))].slice(0, ANSWER_WORDS);
  return words.length === 0 ? undefined : gathered(words, view, ANSWER_STRETCH, ANSWER_SHARE);
}
