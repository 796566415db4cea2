import { firstCharacters } from "../../core/first-characters.ts";
import { saidText } from "../../core/message-text.ts";
import type { Message } from "../../core/types.ts";
import type { Line, TranscriptLines } from "../material/lines.ts";
import type { Statement } from "../material/statements.ts";
import { select } from "./select.ts";

/** Shorter messages are taken whole (characters). */
const MAX_START = 420;
const LOOKED_AT = 4 * MAX_START;
/** Sentences, not half ones: the cut goes back to the last end of one, but not further than this. */
const MIN_START = 200;
const SENTENCE_END = /[.!?:]\s|[。！？\n]/g;

/** How answers begin, in the order of what tells most for its length, within the budget. */
export function chooseAnswers(input: {
  readonly messages: readonly Message[];
  readonly indexes: readonly number[];
  readonly budget: number;
  readonly cost: (text: string) => number;
  readonly salience: Salience;
  readonly known: Set<number>;
}): Statement[] {
  const starts = input.indexes.flatMap((index): Statement[] => {
    const message = input.messages[index];
    const text = message?.role === "assistant" ? saidText(message) : "";
    if (text.trim() === "") return [];
    return [{ message: index, text: startOf(text), lead: "", factor: 1, order: index }];
  });
  const ranked = bySalience(
    starts.map(({ text }) => text),
    input,
  ).map((at) => starts[at]!);
  return select(ranked, {
    worth: (_, at) => ranked.length - at,
    price: ({ text }) => input.cost(`#1234 ${text}\n`),
    budget: input.budget,
  });
}

/** The start of an answer, up to the end of a sentence; a short one whole. */
export function startOf(whole: string): string {
  // Blanks shrink to one, so a little more than the longest start is enough to look at.
  const text = whole
    .trimStart()
    .slice(0, LOOKED_AT)
    .trimEnd()
    .replace(/[^\S\n]+/g, " ")
    .replace(/ ?\n\s*/g, "\n");
  if (text.length <= MAX_START && whole.length <= LOOKED_AT) return text;
  let end = 0;
  for (const match of text.slice(0, MAX_START).matchAll(SENTENCE_END)) end = match.index + 1;
  if (end < MIN_START) end = Math.max(text.lastIndexOf(" ", MAX_START), MIN_START);
  return `${firstCharacters(text, end).trimEnd()} …`;
}

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
