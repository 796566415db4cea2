/** No text has so many characters for each of its tokens; only a server that heeds no limit sends more. */
const MOST_PER_TOKEN = 32;
/** Answers to small requests may be many times too long and still be shortened (characters). */
const LEAST = 40_000;

/** Characters of an answer that are looked through: to judge megabytes takes seconds, in which nobody else is served. */
export function mostChars(cap: number): number {
  return Math.max(LEAST, cap * MOST_PER_TOKEN);
}
