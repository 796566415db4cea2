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

/**
 * The same for every run of `MOST_WORDS` words of the text, so that a text of which only the start was kept fails.
 * A rest of fewer than half as many words is judged with the run before it.
 */
export function isThereWhole(text: string, view: WordIndex): boolean {
  const words = [...new Set(contentWords(text))];
  if (words.length === 0) return false;
  const stretch = Math.max(SHORTEST_STRETCH, STRETCH_FACTOR * text.length);
  for (let from = 0; from < words.length; ) {
    const rest = words.length - from;
    const take = rest < 1.5 * MOST_WORDS ? rest : MOST_WORDS;
    if (!gathered(words.slice(from, from + take), view, stretch, WORD_SHARE)) return false;
    from += take;
  }
  return true;
}

/** Whether the words of an answer stand together in the view; undefined for an answer without content words. */
export function answerIsThere(answer: string, view: WordIndex): boolean | undefined {
  const words = [...new Set(contentWords(answer))].slice(0, ANSWER_WORDS);
  return words.length === 0 ? undefined : gathered(words, view, ANSWER_STRETCH, ANSWER_SHARE);
}
