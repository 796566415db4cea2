import type { Line, TranscriptLines } from "../lines.ts";
import { select } from "./select.ts";

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
  /** Counts in how many messages each term occurs; `of` needs it. Done once, whoever asks. */
  prepare(): void;
  /** Terms of a text, for `of`. */
  terms(text: string): readonly number[];
  of(text: string, terms: readonly number[], known: ReadonlySet<number>): number;
}

/** The logarithm of how few messages have a term. */
type Rarity = (term: number) => number;

export function salience({ lines, table }: TranscriptLines): Salience {
  let rarity: Rarity | undefined;
  return {
    prepare() {
      rarity ??= rarityOf(lines, table.terms.length);
    },
    terms: (text) => table.scan(text),
    of(text, terms, known) {
      rarity ??= rarityOf(lines, table.terms.length);
      let sum = 0;
      for (const term of terms) sum += rarity(term) * (known.has(term) ? KNOWN_FACTOR : 1);
      if (QUESTION.test(text)) sum *= QUESTION_FACTOR;
      return /\d/.test(text) ? sum * (1 + FIGURES_BONUS) : sum;
    },
  };
}

/** Terms that came later are as rare as can be. */
function rarityOf(lines: readonly Line[], terms: number): Rarity {
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
  /** By number of messages: most terms are in as few as many others are. */
  const known: number[] = [];
  return (term) => {
    const times = inMessages[term] || 1;
    known[times] ??= Math.log(1 + messages / times);
    return known[times];
  };
}

/** Above 1: of two texts that tell the same for their length, the shorter one. */
const COST_EXPONENT = 1.8;

/** Ordinals of texts, those that tell most for their length first; what was told already counts less. */
export function bySalience(
  texts: readonly string[],
  {
    cost,
    salience,
    known,
  }: {
    readonly cost: (text: string) => number;
    readonly salience: Salience;
    /** Terms that were told before; the ranking adds to them. */
    readonly known: Set<number>;
  },
): number[] {
  salience.prepare();
  const terms = texts.map((text) => salience.terms(text));
  const costs = texts.map((text) => Math.max(1, cost(text)) ** COST_EXPONENT);
  return select([...texts.keys()], {
    // What tells nothing comes last.
    worth: (at) => Math.max(Number.MIN_VALUE, salience.of(texts[at]!, terms[at]!, known) / costs[at]!),
    onTake(at) {
      for (const term of terms[at]!) known.add(term);
    },
  });
}
