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
export function stemOf(word: string): string {
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
