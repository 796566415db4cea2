import { type Estimate, resampled } from "../bootstrap.ts";

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
