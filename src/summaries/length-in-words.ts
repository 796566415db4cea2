/** The sample that the words of a conversation are measured on (characters). */
const SAMPLE = 20_000;
/** Lines that look like data say nothing about how people write here. */
const MAX_LINE = 600;
/** Records are denser than talk: more names and figures for the same words. */
const DENSITY = 1.15;
/** Bounds for tokens per word: plain English has 1.3, a list of paths about 4. */
const LEAST = 1.3;
const MOST = 4;
/** Tokens per word where there is nothing to measure. */
const USUAL = 1.65;
/** Longer "words" are text of a script without blanks: there characters are counted. */
const LONGEST_WORD = 14;

/**
 * How many words of this conversation's kind a number of tokens is, because models count words, if anything. Names, paths and
 * figures take more tokens than prose, so the ratio is measured on what was said, by the counter that will judge the record.
 */
export function lengthInWords(
  texts: Iterable<string>,
  count: (text: string) => number,
): (tokens: number) => string {
  let sample = "";
  for (const text of texts) {
    for (const line of text.split("\n")) {
      if (line.length <= MAX_LINE) sample += `${line.trim()}\n`;
      if (sample.length >= SAMPLE) break;
    }
    if (sample.length >= SAMPLE) break;
  }
  sample = sample.slice(0, SAMPLE);
  const characters = sample.replace(/\s+/g, "").length;
  const words = sample.match(/\S+/g)?.length ?? 0;
  if (words === 0) return (tokens) => `${round(tokens / USUAL)} words`;
  const measured = count(sample);
  if (characters / words > LONGEST_WORD) {
    const perCharacter = measured / characters;
    return (tokens) => `${round(tokens / perCharacter)} characters`;
  }
  const perWord = Math.min(MOST, Math.max(LEAST, (measured / words) * DENSITY));
  return (tokens) => `${round(tokens / perWord)} words`;
}

/** A round figure: nobody writes exactly 1,273 words. */
function round(amount: number): number {
  const step = amount >= 200 ? 10 : 1;
  return Math.max(1, Math.floor(amount / step) * step);
}
