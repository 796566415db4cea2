import { characterClass, DENSE, isAscii, SYMBOL, WORD } from "../summaries/text/look-alikes.ts";

/** Words that say nothing about what a text is about. Of other languages, their frequency tells the same. */
const FUNCTION_WORDS = new Set(
  [
    "a an the and or but if then of to in on at for with by from as into over after before than too very about just so",
    "is are was were be been being do does did doing have has had having can could will would should may might",
    "i me my you your he him his she her it its we us our they them their this that these those not no",
    "who whom which what when where why how",
    // What is left of "it's", "don't", "I'd", "we'll", "I'm", "you're", "I've".
    "s t d ll m re ve",
  ].flatMap((words) => words.split(" ")),
);

/** Does a word carry no content? Given in lower case. */
export function isFunctionWord(word: string): boolean {
  return FUNCTION_WORDS.has(word);
}

const LATIN = /^[a-z]+$/;
const CYRILLIC_OR_GREEK = /^[\p{Script=Cyrillic}\p{Script=Greek}]+$/u;
/** Letters by which an inflected word of these scripts is known: their endings are too many to be listed. */
const INFLECTED_STEM = 6;
/** Endings that make a noun or an adjective of a verb, and the like; cut where four letters stay. */
const SUFFIX = /(?:ation|ition|ion|ment|ness|ful|ive|al|er|or|ist|ity|ance|ence|able|ible)$/;
const SHORTEST_STEM = 4;

/** The form by which inflections of a word are found alike. Given and returned in lower case. */
function stemOf(word: string): string {
  if (LATIN.test(word)) return word.length < 4 ? word : stemLatin(word);
  return word.length > INFLECTED_STEM && CYRILLIC_OR_GREEK.test(word) ? word.slice(0, INFLECTED_STEM) : word;
}

function stemLatin(word: string): string {
  const verb = withoutVerbEnding(withoutPlural(word));
  const bare = verb.length > 3 && verb.endsWith("e") ? verb.slice(0, -1) : verb;
  const same = bare.length > 3 && bare.endsWith("y") ? `${bare.slice(0, -1)}i` : bare;
  if (same.length <= 6) return same;
  const suffix = SUFFIX.exec(same)?.[0] ?? "";
  return same.length - suffix.length >= SHORTEST_STEM ? same.slice(0, same.length - suffix.length) : same;
}

function withoutPlural(word: string): string {
  if (word.length > 4 && word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  if (/(?:ss|sh|ch|x|z)es$/.test(word)) return word.slice(0, -2);
  return /[^su]s$/.test(word) ? word.slice(0, -1) : word;
}

function withoutVerbEnding(word: string): string {
  if (word.length > 5 && word.endsWith("ly")) return word.slice(0, -2);
  const ending = word.length > 5 && word.endsWith("ing") ? 3 : word.length > 4 && word.endsWith("ed") ? 2 : 0;
  const rest = word.slice(0, word.length - ending);
  if (ending === 0 || !/[aeiouy]/.test(rest)) return word;
  // "planned" is the past of "plan".
  return /([bdgmnprt])\1$/.test(rest) ? rest.slice(0, -1) : rest;
}

/**
 * Terms: what a text is found by. The same function reads texts for an index and questions to it, in memory and in
 * databases, so that both sides always agree.
 *
 * A word is one term, by its stem. A path or an identifier is found whole and by each of its parts. Scripts without
 * spaces between words (Chinese, Japanese, Thai, …) are found by pairs of characters, and by single ideographs. Emoji and
 * signs such as € and → are terms by themselves, and so are a letter's signs that make a name of it (C++, C#).
 */

/** Longer runs are encoded data, not names (characters). */
const MAX_RUN = 160;
/** Runs whose terms are remembered: most runs of a conversation are repeats. */
const MAX_KNOWN_RUNS = 50_000;

const EDGES = /^[-./~@$_]+|[-./~@$_]+$/g;
/** Between the parts of an identifier: joiners, and the humps of camelCase. */
const JOINT = /[-./~@$_]+|(?<=[\p{Ll}\d])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;
const ACCENTS = /[\u0300-\u036f]/g;
const HANGUL = /\p{Script=Hangul}/u;
const IDEOGRAPH = /\p{Script=Han}/u;
const LETTERS_OR_DIGITS = /^(?:[\p{L}\p{M}]+|\d+)$/u;

const knownRuns = new Map<string, readonly string[]>();

/** Characters outside of the first 65,536 that are looked for: emoji and other signs, and letters of rare scripts. */
const RARE = /[\p{Extended_Pictographic}\p{S}\p{L}]/u;
/** Skin tones of emoji: 👍🏽 is found by 👍. */
const TONE = /\p{Emoji_Modifier}/u;
/** Flags are written with two of them. */
const FLAG_LETTER = /\p{Regional_Indicator}/u;
const LONE_LETTER = /^[\p{L}]$/u;
/** Directly behind a letter: C++, C#. */
const NAME_SIGNS = /\+\+|#/y;

/** The terms of a text, in order, with repetitions. Signs follow, each once: a row of arrows says no more than one. */
export function termsOf(text: string): string[] {
  const terms: string[] = [];
  const signs = new Set<string>();
  const length = text.length;
  let at = 0;
  while (at < length) {
    const kind = characterClass(text.charCodeAt(at));
    let end = at + 1;
    if (kind === WORD || kind === DENSE) {
      while (end < length && characterClass(text.charCodeAt(end)) === kind) end++;
      const run = text.slice(at, end);
      for (const term of kind === WORD ? termsOfRun(run) : pairsOf(run)) terms.push(term);
      if (run.length === 1 && kind === WORD && LONE_LETTER.test(run)) {
        NAME_SIGNS.lastIndex = end;
        const [found] = NAME_SIGNS.exec(text) ?? [];
        if (found !== undefined) signs.add(plain(run) + found);
      }
    } else if (kind === SYMBOL) {
      const sign = signAt(text, at);
      end = at + Math.max(1, sign.length);
      if (sign !== "") signs.add(sign);
    }
    at = end;
  }
  for (const sign of signs) terms.push(sign);
  return terms;
}

/** The terms of a text that are asked for, each once. */
export function wantedTerms(text: string, wanted: ReadonlySet<string>): string[] {
  return [...new Set(termsOf(text))].filter((term) => wanted.has(term));
}

/** The sign at a place of a text; empty for what isn't looked for, and for half a character. */
function signAt(text: string, at: number): string {
  const sign = String.fromCodePoint(text.codePointAt(at)!);
  if (sign.length === 1) return characterClass(sign.charCodeAt(0)) === SYMBOL && !isHalf(sign) ? sign : "";
  if (!RARE.test(sign) || TONE.test(sign)) return "";
  if (!FLAG_LETTER.test(sign)) return sign;
  const next = text.slice(at + 2, at + 4);
  return FLAG_LETTER.test(next) ? sign + next : sign;
}

const isHalf = (character: string): boolean => character >= "\ud800" && character <= "\udfff";

function termsOfRun(run: string): readonly string[] {
  const known = knownRuns.get(run);
  if (known !== undefined) return known;
  const terms = run.length > MAX_RUN ? [] : readRun(run.replace(EDGES, ""));
  if (knownRuns.size >= MAX_KNOWN_RUNS) knownRuns.clear();
  knownRuns.set(run, terms);
  return terms;
}

function readRun(run: string): string[] {
  if (LETTERS_OR_DIGITS.test(run) && !JOINT.test(run)) {
    const word = plain(run);
    return [...wordTerms(word), ...(HANGUL.test(word) ? pairsOf(word) : [])];
  }
  const parts = run.split(JOINT).filter((part) => part !== "");
  const whole = plain(run);
  if (parts.length < 2) return whole === "" ? [] : [whole];
  return [whole, ...parts.flatMap((part) => wordTerms(plain(part)))];
}

/** A word by its stem. Function words and single letters tell nothing; single digits do. */
function wordTerms(word: string): string[] {
  if (isFunctionWord(word) || (word.length < 2 && !/\d/.test(word))) return [];
  return [stemOf(word)];
}

/** In lower case, compatibility form and without accents: `Café` is found by `cafe`. */
function plain(run: string): string {
  if (isAscii(run)) return run.toLowerCase();
  return run.normalize("NFKC").toLowerCase().normalize("NFD").replace(ACCENTS, "").normalize("NFC");
}

/** Neighbouring characters in pairs, and ideographs by themselves: many words are just one. */
function pairsOf(run: string): string[] {
  const terms: string[] = [];
  for (let at = 0; at < run.length; at++) {
    if (run.length === 1 || IDEOGRAPH.test(run[at]!)) terms.push(run[at]!);
    if (at + 1 < run.length) terms.push(run.slice(at, at + 2));
  }
  return terms;
}
