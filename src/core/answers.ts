import { defaultReserve } from "./budget.ts";
import type { AnswerSize, AnswerSizes } from "./types.ts";

/** A longer name is no model's (characters). */
export const MAX_MODEL_NAME = 256;
/** No answer is longer: who says so is mistaken (tokens). */
export const MOST_ANSWER_TOKENS = 10_000_000;
/** So many of the newest answers count. The largest of them is about their 95th percentile. */
const NEWEST = 20;
/** Fewer answers than this don't tell that answers are short. One is enough to tell that they are long. */
const ENOUGH = 8;
/** The next answer may be longer than all before it. */
const MARGIN = 1.25;
/** An answer that was cut off would have been longer, nobody knows by how much. */
const CUT_OFF = 2;
/** No less than this is kept free, however short answers are (tokens). */
const LEAST_RESERVE = 1_024;
/** Answers that are longer than the first figure get up to this share of the window … */
export const MOST_RESERVED = 1 / 5;
/** … and of what head, tools and last user message leave: a long answer must not make a request impossible. */
const MOST_OF_FREE = 1 / 4;

/** What is kept free before any answer was seen: min(the largest answer that is asked for, window ÷ 8, 8,192). */
export function firstReserve(window: number, maxAnswer: number | undefined): number {
  return Math.min(defaultReserve(window), maxAnswer ?? Number.POSITIVE_INFINITY);
}

/** What is kept free for the next answer, by what the answers before it took. */
export function reserveByAnswers(options: {
  readonly sizes: readonly AnswerSize[];
  readonly window: number;
  /** Largest answer that is asked for. */
  readonly maxAnswer: number | undefined;
  /** Tokens of the window that a request must leave for nothing else. */
  readonly free: number;
  /** Tokens that summaries need. */
  readonly least: number;
}): number {
  const { sizes, window, maxAnswer = Number.POSITIVE_INFINITY, free } = options;
  const first = firstReserve(window, maxAnswer);
  const step = answerStep(sizes);
  if (step === undefined) return first;
  const least = sizes.length < ENOUGH ? first : Math.min(first, Math.max(LEAST_RESERVE, options.least));
  const most = Math.max(first, Math.floor(Math.min(window * MOST_RESERVED, free * MOST_OF_FREE)));
  return Math.min(Math.max(step, least), most, maxAnswer);
}

/** What these answers ask to be kept free, in coarse steps: a budget that moved with every answer would move views. */
function answerStep(sizes: readonly AnswerSize[]): number | undefined {
  if (sizes.length === 0) return undefined;
  const wanted = MARGIN * Math.max(...sizes.map(([, tokens]) => tokens));
  const above = 2 ** Math.ceil(Math.log2(wanted));
  return wanted <= above * 0.75 ? above * 0.75 : above;
}

/** Do both lead to the same figure, whatever the window? */
export function haveSameStep(some: readonly AnswerSize[], others: readonly AnswerSize[]): boolean {
  const [one, other] = [some, others].map((sizes) => {
    const step = Math.max(LEAST_RESERVE, answerStep(sizes) ?? 0);
    return sizes.length < ENOUGH ? (step === LEAST_RESERVE ? "nothing" : `at least ${step}`) : step;
  });
  return one === other;
}

/** One more answer. */
export function answerSize(at: number, tokens: number, wasCutOff: boolean): AnswerSize {
  return [Math.floor(at), Math.ceil(wasCutOff ? tokens * CUT_OFF : tokens)];
}

/** The newest of both, each once. Whoever puts the same answers together gets the same, in whatever order they came. */
export function mergeSizes(
  some: readonly AnswerSize[],
  others: readonly AnswerSize[],
): readonly AnswerSize[] {
  if (others.length === 0) return some;
  return [...some, ...others]
    .sort(inOrder)
    .filter((one, at, all) => at === 0 || inOrder(all[at - 1]!, one) !== 0)
    .slice(-NEWEST);
}

const inOrder = (a: AnswerSize, b: AnswerSize): number => a[0] - b[0] || a[1] - b[1];

/** The sizes of one model among records of a conversation. */
export function sizesOf(
  records: readonly AnswerSizes[],
  { hash, model }: Pick<AnswerSizes, "hash" | "model">,
): readonly AnswerSize[] {
  return records
    .filter((one) => one.hash === hash && one.model === model)
    .reduce<readonly AnswerSize[]>((sizes, one) => mergeSizes(sizes, one.sizes), []);
}
