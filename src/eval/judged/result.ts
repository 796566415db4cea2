import { type Estimate, resampled } from "../bootstrap.ts";
import type { Entrant } from "./arms.ts";
import type { Mark } from "./exam-requests.ts";
import type { Expense } from "./spending.ts";

/** One answer and what it got. */
export interface Judged extends Mark {
  readonly exam: string;
  readonly n: number;
  readonly type: string;
  readonly trial: number;
  readonly entrant: Entrant;
  /** Size of the context that it was answered from. */
  readonly tokens: number;
  /** There was none: what must be kept doesn't fit this size. */
  readonly isImpossible: boolean;
  /** The arm's model wasn't asked. */
  readonly isUnasked: boolean;
}

/** One arm at one size. */
export interface JudgedRow {
  readonly arm: string;
  readonly label: string;
  readonly size: string;
  /** Mean size of its contexts. */
  readonly tokens: number;
  readonly exams: number;
  readonly questions: number;
  /** Exams for which it couldn't make a context of this size; all of their questions got 0. */
  readonly impossible: number;
  /** Exams for which its model wasn't asked, because a summary had no room or wasn't worth it. */
  readonly unasked: number;
  readonly score: ExamEstimate;
  /** Share of answers that mislead. */
  readonly misleading: number;
  readonly byType: Readonly<Record<string, ExamEstimate>>;
  /** How far it is above the arm that all are compared with, question by question. */
  readonly difference?: ExamEstimate;
}

/** Who took part, and how. */
interface JudgedHead {
  readonly reader: string;
  readonly judge: string;
  readonly summarizer?: string;
  readonly counter: string;
  readonly trials: number;
  /** What this run asked for; replies of earlier runs cost nothing. */
  readonly spent: readonly Expense[];
}

/** What a run found out. */
export interface JudgedResult extends JudgedHead {
  readonly exams: number;
  readonly questions: number;
  readonly types: readonly string[];
  /** The row that the others are compared with: `recorded@S`. */
  readonly against?: string;
  readonly rows: readonly JudgedRow[];
  /** Every answer's marks, to look into. */
  readonly marks: readonly (Pick<Judged, "exam" | "n" | "type" | "trial" | keyof Mark> & {
    readonly row: string;
  })[];
}

export function resultOf(
  judged: readonly Judged[],
  { against, ...head }: JudgedHead & { readonly against?: string },
): JudgedResult {
  const byRow = Map.groupBy(judged, (one) => one.entrant.id);
  const ids = [...byRow.keys()];
  const base =
    against === undefined ? ids[0] : ids.find((id) => id === against || id.startsWith(`${against}@`));
  const types = [...new Set(judged.map((one) => one.type))];
  const rows = [...byRow].map(([id, own]) => rowOf(own, id === base ? undefined : byRow.get(base ?? "")));
  return {
    ...head,
    exams: new Set(judged.map((one) => one.exam)).size,
    questions: new Set(judged.map(questionOf)).size,
    types,
    ...(base !== undefined && { against: base }),
    rows,
    marks: judged.map(
      ({ entrant, tokens: _tokens, isImpossible: _isImpossible, isUnasked: _isUnasked, ...mark }) => ({
        ...mark,
        row: entrant.id,
      }),
    ),
  };
}

function rowOf(own: readonly Judged[], base: readonly Judged[] | undefined): JudgedRow {
  const first = own[0] as Judged;
  const byType = [...Map.groupBy(own, (one) => one.type)].map(([type, some]) => [
    type,
    estimateOf(scores(some)),
  ]);
  const difference = base === undefined ? undefined : estimateOf(differences(own, base));
  return {
    arm: first.entrant.arm.id,
    label: first.entrant.arm.label,
    size: first.entrant.sizeLabel,
    tokens: mean(own.map((one) => one.tokens)),
    exams: new Set(own.map((one) => one.exam)).size,
    questions: new Set(own.map(questionOf)).size,
    impossible: new Set(own.filter((one) => one.isImpossible).map((one) => one.exam)).size,
    unasked: new Set(own.filter((one) => one.isUnasked).map((one) => one.exam)).size,
    score: estimateOf(scores(own)),
    misleading: mean(own.map((one) => (one.misleading ? 1 : 0))),
    byType: Object.fromEntries(byType) as JudgedRow["byType"],
    ...(difference && difference.questions > 0 && { difference }),
  };
}

const questionOf = ({ exam, n }: Judged): string => JSON.stringify([exam, n]);

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

/** The mean over trials of each question, by exam. */
function scores(judged: readonly Judged[]): { readonly exam: string; readonly value: number }[] {
  return [...Map.groupBy(judged, questionOf).values()].map((trials) => ({
    exam: trials[0]?.exam ?? "",
    value: mean(trials.map((one) => one.score)),
  }));
}

/** On the questions that both answered. */
function differences(
  own: readonly Judged[],
  base: readonly Judged[],
): { readonly exam: string; readonly value: number }[] {
  const others = Map.groupBy(base, questionOf);
  return [...Map.groupBy(own, questionOf)].flatMap(([question, trials]) => {
    const other = others.get(question);
    if (other === undefined) return [];
    const value = mean(trials.map((one) => one.score)) - mean(other.map((one) => one.score));
    return [{ exam: trials[0]?.exam ?? "", value }];
  });
}

/** A mean over questions with its 95 % interval. */
export interface ExamEstimate extends Pick<Estimate, "mean" | "low" | "high"> {
  readonly questions: number;
}

const SEED = 20_261_116;

/**
 * The mean, and the interval of 2,000 resamplings in two steps: exams, then questions within each of them. Questions about
 * one conversation aren't independent, and with six exams resampling exams alone would be too coarse.
 */
export function estimateOf(
  values: readonly { readonly exam: string; readonly value: number }[],
): ExamEstimate {
  if (values.length === 0) return { mean: Number.NaN, low: Number.NaN, high: Number.NaN, questions: 0 };
  const exams = [...Map.groupBy(values, (one) => one.exam).values()].map((own) =>
    own.map((one) => one.value),
  );
  const range = resampled(SEED, (random) => {
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
    let sum = 0;
    let count = 0;
    for (let i = 0; i < exams.length; i += 1) {
      const own = pick(exams);
      for (let j = 0; j < own.length; j += 1) sum += pick(own);
      count += own.length;
    }
    return sum / count;
  });
  const total = values.reduce((sum, one) => sum + one.value, 0);
  return { mean: total / values.length, ...range, questions: values.length };
}
