import type { ChatMessage } from "../types.ts";

/** One question about a conversation, with what a good answer says. */
export interface ExamItem {
  readonly n: number;
  readonly type: string;
  readonly question: string;
  readonly expected: string;
  /** Points that an answer is marked by, each 1, 0.5 or 0. At least one. */
  readonly rubric: readonly string[];
}

/** A conversation and the questions that a reader of its view should be able to answer. */
export interface Exam {
  readonly id: string;
  /** The conversation up to the cut. */
  readonly messages: readonly ChatMessage[];
  /** The summary that was recorded at the cut, where there is one. */
  readonly recorded?: string;
  readonly items: readonly ExamItem[];
}

/** At most so many questions of an exam, evenly spread over their types, the same ones every time. */
export function fewerQuestions(exam: Exam, most: number): Exam {
  if (exam.items.length <= most) return exam;
  const byType = [...Map.groupBy(exam.items, (item) => item.type).values()];
  const chosen = new Set<ExamItem>();
  for (let round = 0; chosen.size < most; round += 1)
    for (const items of byType) {
      // From the middle of each type outwards: the first questions of a set are often about its first messages.
      const item = items[(Math.floor(items.length / 2) + round) % items.length];
      if (item !== undefined && chosen.size < most) chosen.add(item);
    }
  return { ...exam, items: exam.items.filter((item) => chosen.has(item)) };
}

/** A list in pieces of at most `size`. */
export function inPieces<T>(list: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, index) =>
    list.slice(index * size, (index + 1) * size),
  );
}
