/**
 * Content words: lower case, without the words that carry no content, and without the commonest English endings.
 * The neighbour words of recorded cases were made by these rules, so a change here changes every figure.
 */

import { addTo } from "../core/collections.ts";
import type { WordIndex } from "./types.ts";

const PRONOUNS =
  "i me my you your he him his she her it its we us our they them their this that these those who whom which what";
const VERBS =
  "is are was were be been being do does did doing have has had having can could will would should may might";
const SMALL_WORDS =
  "a an the and or but if then of to in on at for with by from as not no so when where why how just about into over after before than too very";
/** What is left of "it's", "don't", "I'd", "we'll", "I'm", "you're", "I've" when the apostrophe stands apart. */
const CONTRACTIONS = "s t d ll m re ve";

const NO_CONTENT = new Set(`${PRONOUNS} ${VERBS} ${SMALL_WORDS} ${CONTRACTIONS}`.split(" "));

/** The first that fits is cut. */
const ENDINGS = ["ing", "edly", "ed", "ies", "es", "s", "ly"] as const;
/** Letters that must stay when an ending is cut. */
const SHORTEST_STEM = 3;

const WORD = /[a-z0-9]+(?:'[a-z]+)?/g;

function stem(word: string): string {
  const ending = ENDINGS.find((e) => word.endsWith(e) && word.length - e.length >= SHORTEST_STEM);
  return ending === undefined ? word : word.slice(0, -ending.length);
}

/** The content words of a text, in order, with repetitions. */
export function contentWords(text: string): string[] {
  const words: string[] = [];
  for (const [word] of text.toLowerCase().matchAll(WORD)) {
    if (!NO_CONTENT.has(word)) words.push(stem(word));
  }
  return words;
}

/** Where each content word of a text stands. */
export function indexWords(text: string): WordIndex {
  const index = new Map<string, number[]>();
  for (const match of text.toLowerCase().matchAll(WORD)) {
    if (NO_CONTENT.has(match[0])) continue;
    addTo(index, stem(match[0]), match.index);
  }
  return index;
}

/** True if some stretch of `chars` characters holds at least `share` of the wanted words (each counted once). */
export function gathered(wanted: readonly string[], index: WordIndex, chars: number, share: number): boolean {
  const distinct = [...new Set(wanted)];
  if (distinct.length === 0) return false;
  const needed = Math.ceil(share * distinct.length);
  const found: { word: number; at: number }[] = [];
  let present = 0;
  distinct.forEach((text, word) => {
    const places = index.get(text);
    if (!places) return;
    present++;
    for (const at of places) found.push({ word, at });
  });
  if (present < needed) return false;
  found.sort((a, b) => a.at - b.at);

  const inside = new Uint32Array(distinct.length);
  let held = 0;
  let left = 0;
  for (const { word, at } of found) {
    if (inside[word]!++ === 0) held++;
    while (at - found[left]!.at > chars) {
      if (--inside[found[left]!.word]! === 0) held--;
      left++;
    }
    if (held >= needed) return true;
  }
  return false;
}

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
