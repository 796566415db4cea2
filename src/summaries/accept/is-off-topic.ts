/** So many items, and not one of them in a text of this length: it is about something else. */
const MANY_ITEMS = 8;
const MIN_TOKENS = 40;
/** Share of a summary's distinctive words that its source has, at least. Other scripts share only names. */
const MIN_SHARED = 0.08;
const MIN_WORDS = 15;
/** The same where the answer may be in another language: a number, a name. */
const LEAST_SHARED = 0.02;

/** An answer, what it was made from, and how many of the items that it should carry it lacks. */
export interface AnsweredFrom {
  readonly text: string;
  readonly tokens: number;
  readonly missing: number;
  readonly mustKeep: number;
  readonly source: string | undefined;
}

/** Is the answer about something else than its source? Judged by the words and items that they share. */
export function isOffTopic(
  /** The material is looked at only if many items are missing: it may be in another language. */
  input: AnsweredFrom & { readonly material: string | undefined },
): boolean {
  if (input.missing < input.mustKeep) return false;
  const isMany = input.mustKeep >= MANY_ITEMS && input.tokens >= MIN_TOKENS;
  const { text, source, material } = input;
  if (source === undefined && !isMany) return false;
  const read = source ?? material;
  if (read === undefined) return true;
  const words = distinctiveWords(text);
  const least = source === undefined ? LEAST_SHARED : MIN_SHARED;
  return words.size >= MIN_WORDS && sharedWords(text, read) < words.size * least;
}

/** How many distinctive words of a text its source has, too. */
export function sharedWords(text: string, source: string, shortest = SHORTEST): number {
  const known = distinctiveWords(source, shortest);
  let shared = 0;
  for (const word of distinctiveWords(text, shortest)) if (known.has(word)) shared++;
  return shared;
}

/** Shorter words stand in every text (letters). */
const SHORTEST = 5;

/** Words of some letters, numbers, and pairs of characters of scripts without blanks. */
function distinctiveWords(text: string, shortest = SHORTEST): Set<string> {
  const words = new Set<string>();
  const lower = text.toLowerCase();
  for (const [word] of lower.matchAll(
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]{2,}|[\p{L}\p{N}]{4,}/gu,
  )) {
    if (/^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u.test(word))
      for (let at = 0; at + 2 <= word.length; at++) words.add(word.slice(at, at + 2));
    else if (word.length >= shortest || /\d/.test(word)) words.add(word);
  }
  return words;
}
