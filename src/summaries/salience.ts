import type { Line, TranscriptLines } from "./lines.ts";

/**
 * How much a message tells: the sum of its terms' rarity in this conversation, in any language. Questions tell less than
 * statements, figures and dates a little more.
 */

/** Does it end with a question? */
export const QUESTION = /[?？؟]\s*$/;
const QUESTION_FACTOR = 0.7;
const FIGURES_BONUS = 0.2;
/** A term that was said before in a chosen message still counts this much. */
const KNOWN_FACTOR = 0.6;

export interface Salience {
  /** Terms of a text, for `of`. */
  terms(text: string): readonly number[];
  of(text: string, terms: readonly number[], known: ReadonlySet<number>): number;
  /** The logarithm of how few messages have a term. */
  rarity(term: number): number;
}

/** Counts in how many messages each term occurs; only when it is first asked. */
export function salience({ lines, table }: TranscriptLines): Salience {
  let counted: ((term: number) => number) | undefined;
  const rarity = (term: number): number => {
    counted ??= rarityOf(lines, table.terms.length);
    return counted(term);
  };
  return {
    terms: (text) => table.scan(text),
    rarity,
    of(text, terms, known) {
      let sum = 0;
      for (const term of terms) sum += rarity(term) * (known.has(term) ? KNOWN_FACTOR : 1);
      if (QUESTION.test(text)) sum *= QUESTION_FACTOR;
      return /\d/.test(text) ? sum * (1 + FIGURES_BONUS) : sum;
    },
  };
}

/** By term: the logarithm of how few messages have it. Terms that came later are as rare as can be. */
function rarityOf(lines: readonly Line[], terms: number): (term: number) => number {
  const inMessages = new Int32Array(terms);
  const lastMessage = new Int32Array(terms).fill(-1);
  let messages = 0;
  let current = -1;
  for (const line of lines) {
    if (line.message !== current) {
      current = line.message;
      messages++;
    }
    for (const term of line.terms) {
      if (lastMessage[term] === current) continue;
      lastMessage[term] = current;
      inMessages[term]!++;
    }
  }
  const known = Float64Array.from(inMessages, (times) => Math.log(1 + messages / (times || 1)));
  return (term) => known[term] ?? Math.log(1 + messages);
}
