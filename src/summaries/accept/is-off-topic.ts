/** So many items, and not one of them in a text of this length: it is about something else. */
const MANY_ITEMS = 8;
const MIN_TOKENS = 40;
/** Share of a summary's distinctive words that its source has, at least. Other scripts share only names. */
const MIN_SHARED = 0.08;
const MIN_WORDS = 15;

/** Is the answer about something else than its source? Judged by the words and items that they share. */
export function isOffTopic(input: {
  readonly text: string;
  readonly tokens: number;
  readonly missing: number;
  readonly mustKeep: number;
  readonly source: string | undefined;
}): boolean {
  const noItems = input.missing === input.mustKeep;
  if (!noItems) return false;
  if (input.mustKeep >= MANY_ITEMS && input.tokens >= MIN_TOKENS) return true;
  if (input.source === undefined) return false;
  const words = distinctiveWords(input.text);
  if (words.size < MIN_WORDS) return false;
  const known = distinctiveWords(input.source);
  let shared = 0;
  for (const word of words) if (known.has(word)) shared++;
  return shared < words.size * MIN_SHARED;
}

/** Words of five letters and more, numbers, and pairs of characters of scripts without blanks. */
function distinctiveWords(text: string): Set<string> {
  const words = new Set<string>();
  const lower = text.toLowerCase();
  for (const [word] of lower.matchAll(
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]{2,}|[\p{L}\p{N}]{4,}/gu,
  )) {
    if (/^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u.test(word))
      for (let at = 0; at + 2 <= word.length; at++) words.add(word.slice(at, at + 2));
    else if (word.length >= 5 || /\d/.test(word)) words.add(word);
  }
  return words;
}
