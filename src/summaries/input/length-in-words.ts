/** The sample that the words of a conversation are measured on (characters). */
const SAMPLE = 20_000;
/** Lines that look like data say nothing about how people write here. */
const MAX_LINE = 600;
/** A word as people write it. Names of code, paths and figures are no measure of how long prose is. */
const WORD = /^\p{P}*\p{L}[\p{L}\p{M}'’-]*\p{P}*$/u;
/** Of a record, names and figures take as much again as so much of its words. */
const DENSITY = 1.35;
/** Bounds for tokens per word of a record: English has 1.8, Hindi with an old tokenizer about 5. */
const LEAST = 1.5;
const MOST = 5;
/** Tokens per word where there is nothing to measure. */
const USUAL = 1.65;
/** Longer "words" are text of a script without blanks: there characters are counted. */
const LONGEST_WORD = 14;

/**
 * How many words of a record in this conversation's language a number of tokens is, because models count words, if anything. It is
 * measured on the words that were said, by the counter that will judge the record.
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
  const said = sample.slice(0, SAMPLE).match(/\S+/g) ?? [];
  const plain = said.filter((word) => WORD.test(word));
  sample = plain.join(" ");
  const characters = plain.reduce((sum, word) => sum + word.length, 0);
  const words = plain.length;
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
