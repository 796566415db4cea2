import type { Arm } from "./arms.ts";
import type { Exam, ExamItem } from "./exam.ts";
import { inPieces } from "./in-pieces.ts";
import { QUESTIONS_AT_ONCE } from "./read-exam.ts";

/** Which questions of an exam one request asks: many from a context that they share, one from a context of its own. */
export function questionsTogether(
  { items }: Exam,
  { contexts }: Pick<Arm, "contexts">,
  isOneByOne: boolean,
): ExamItem[][] {
  return inPieces(items, isOneByOne || contexts === "by-question" ? 1 : QUESTIONS_AT_ONCE);
}
