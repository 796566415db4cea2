import type { ExamEstimate } from "./exam-estimate.ts";
import type { JudgedResult, JudgedRow } from "./result.ts";

/** What the figures mean, and what must be known to read them. */
export function judgedNotes({ against, trials, rows }: JudgedResult): string {
  const listed = (of: (row: JudgedRow) => number): string =>
    rows.flatMap((row, index) => (of(row) === 0 ? [] : [`${index + 1} (${of(row)})`])).join(", ");
  const impossible = listed((row) => row.impossible);
  const unasked = listed((row) => row.unasked);
  return [
    "In brackets: 95 % intervals over exams and their questions.",
    ...(against === undefined ? [] : ["Differences are paired by question."]),
    "misled: share of answers that state something false, in %.",
    ...(impossible === "" ? [] : [`What must be kept doesn't fit, and counts 0, in (exams): ${impossible}.`]),
    ...(unasked === "" ? [] : [`The model had no room to be asked in (exams): ${unasked}.`]),
    ...(trials < 3 ? ["With fewer than 3 trials, small differences are chance."] : []),
  ].join(" ");
}

/** How a row is called in `against` and in the marks. */
export const rowId = ({ arm, size }: JudgedRow): string => `${arm}@${size}`;

export const percent = (share: number): string => (100 * share).toFixed(1);
export const signed = (share: number): string => `${share >= 0 ? "+" : "−"}${percent(Math.abs(share))}`;
const whole = (share: number): string => (100 * share).toFixed(0).replace("-", "−").replace("−0", "0");
export const range = ({ low, high }: ExamEstimate): string => `[${whole(low)}, ${whole(high)}]`;
export const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;
