import type { ExamItem } from "./exam.ts";

/** Questions as files hold them: exams with rubrics, and probes whose rubric may be their answer. */

interface RawItem {
  readonly n?: number;
  readonly type?: string;
  readonly q: string;
  readonly expected?: string;
  readonly rubric?: readonly string[];
}

/** An exam's file: the conversation is in another one. */
export interface ExamRecord {
  /** Path of the conversation, relative to the exam, to the folder above it, or to `--data`. */
  readonly session: string;
  /** Messages before the cut. Default: up to the first recorded compaction, else all. */
  readonly at?: number;
  /** Which conversation of a file that holds several, from 1. */
  readonly pick?: number;
  /** A summary that somebody wrote of it, to compare with. Default: the recorded one. */
  readonly summary?: string;
  readonly items: readonly RawItem[];
}

/** A question about somebody of whom nothing was said: the given answer is true of somebody else. */
const ADVERSARIAL = "adversarial";

export function isExamRecord(value: unknown): value is ExamRecord {
  return (
    typeof value === "object" &&
    value !== null &&
    typeof (value as { session?: unknown }).session === "string" &&
    Array.isArray((value as { items?: unknown }).items) &&
    (value as { items: readonly unknown[] }).items.every(isRawItem)
  );
}

function isRawItem(value: unknown): value is RawItem {
  const { q, rubric } = (value ?? {}) as { q?: unknown; rubric?: unknown };
  const isRubric =
    rubric === undefined || (Array.isArray(rubric) && rubric.every((point) => typeof point === "string"));
  return typeof q === "string" && isRubric;
}

export function examItems(items: readonly RawItem[]): ExamItem[] {
  return items.map((item, index) => ({
    n: item.n ?? index,
    type: item.type ?? "question",
    question: item.q,
    expected: item.expected ?? "",
    rubric: rubricOf(item.rubric, item.expected ?? ""),
  }));
}

/** A probe of a conversation with questions. */
export interface RawProbe {
  readonly q: string;
  readonly a: unknown;
  readonly type: string;
  readonly rubric?: readonly string[];
}

export function probeItems(probes: readonly RawProbe[]): ExamItem[] {
  return probes.map(({ q, a, type, rubric }, n) => {
    const answer = typeof a === "string" ? a : JSON.stringify(a);
    if (type !== ADVERSARIAL || rubric !== undefined)
      return { n, type, question: q, expected: answer, rubric: rubricOf(rubric, answer) };
    const expected = `The conversation doesn't say so. (It says of somebody else: ${answer})`;
    return {
      n,
      type,
      question: q,
      expected,
      rubric: ["Says that the conversation doesn't tell this, or that it is true of somebody else"],
    };
  });
}

const rubricOf = (rubric: readonly string[] | undefined, expected: string): readonly string[] =>
  rubric !== undefined && rubric.length > 0 ? rubric : [`Says: ${expected}`];
