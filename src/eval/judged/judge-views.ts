import type { Message, Model, TokenCounter } from "../../core/types.ts";
import type { ChatMessage } from "../types.ts";
import type { Entrant } from "./entrants.ts";
import type { Exam, ExamItem } from "./exam.ts";
import { memoryJournal } from "./journal.ts";
import { planJudged } from "./plan.ts";
import { readerText, shownMessage } from "./reader-text.ts";
import { runJudged } from "./run-judged.ts";
import { createSpending, type Expense } from "./spending.ts";
import { planExam, writeExam } from "./write-exam.ts";

/** A view to be judged by what a reader of it knows. */
interface JudgedView {
  readonly name: string;
  readonly messages: readonly Message[];
}

/** What `judgeViews` takes. One model writes the questions, answers and marks them; it never sees whose answers they are. */
export interface JudgeViewsInput {
  readonly transcript: readonly Message[];
  readonly views: readonly JudgedView[];
  readonly model: Model;
  /** How many questions. */
  readonly questions: number;
  readonly counter: TokenCounter;
}

/** What a reader of each view knows, in the order given. */
export interface ViewScores {
  /** Mean over the questions, 0 to 1. */
  readonly scores: readonly { readonly name: string; readonly score: number; readonly misleading: number }[];
  readonly spent: readonly Expense[];
}

const EXAM = "conversation";
/** Requests under way at the same time. */
const AT_ONCE = 3;
/** A question of usual length, for estimates. */
const USUAL_QUESTION = "Which of the things that were decided holds now, and what was the reason for it?";

/** What it will ask for, before anything is asked. */
export function planViews(input: JudgeViewsInput): Expense[] {
  const items = Array.from(
    { length: input.questions },
    (_, n): ExamItem => ({
      n,
      type: "question",
      question: USUAL_QUESTION,
      expected: USUAL_QUESTION,
      rubric: [USUAL_QUESTION, USUAL_QUESTION],
    }),
  );
  const { model, counter } = input;
  return [
    planExam({ messages: chatOf(input.transcript), writer: model, count: input.questions, counter }),
    ...planJudged({
      sittings: [sittingOf(input, items)],
      trials: 1,
      isOneByOne: false,
      reader: model,
      judge: model,
      summarizer: undefined,
      counter,
    }),
  ];
}

/** Writes a few questions about the conversation, has them answered from each view, and marked. */
export async function judgeViews(
  input: JudgeViewsInput & {
    readonly signal?: AbortSignal;
    readonly onProgress?: (done: number, total: number) => void;
  },
): Promise<ViewScores> {
  const { transcript, model, questions, counter, signal, onProgress } = input;
  const journal = memoryJournal();
  const spending = createSpending({ writer: model }, counter);
  const stop = signal && { signal };
  const items = await writeExam({
    messages: chatOf(transcript),
    writer: model,
    count: questions,
    counter,
    journal,
    spending,
    ...stop,
  });
  const result = await runJudged({
    sittings: [sittingOf(input, items)],
    trials: 1,
    isOneByOne: false,
    reader: model,
    judge: model,
    summarizer: undefined,
    counter,
    journal,
    atOnce: AT_ONCE,
    ...stop,
    ...(onProgress && { onProgress: (_what, done, total) => onProgress(done, total) }),
  });
  return {
    scores: input.views.map(({ name }, place) => {
      const row = result.rows.find(({ arm }) => arm === armOf(place));
      return { name, score: row?.score.mean ?? 0, misleading: row?.misleading ?? 0 };
    }),
    spent: [...spending.all(), ...result.spent],
  };
}

const armOf = (place: number): string => `view-${place}`;

function sittingOf(
  { transcript, views, counter }: JudgeViewsInput,
  items: readonly ExamItem[],
): { readonly exam: Exam; readonly entrants: readonly Entrant[] } {
  return {
    exam: { id: EXAM, messages: chatOf(transcript), items },
    entrants: views.map(({ name, messages }, place): Entrant => {
      const shown = chatOf(messages).map(shownMessage);
      return {
        id: armOf(place),
        sizeLabel: "view",
        tokens: counter.count(readerText(shown)),
        arm: {
          id: armOf(place),
          label: name,
          needsModel: false,
          needsRecorded: false,
          size: "given",
          contexts: "shared",
          make: async () => async () => shown,
        },
      };
    }),
  };
}

/** Messages in the form that exams are about: text and calls. */
function chatOf(messages: readonly Message[]): ChatMessage[] {
  return messages.map(({ role, parts }, index) => {
    const texts = parts.flatMap((part) =>
      part.type === "text" || part.type === "tool-result" ? [part.text] : [],
    );
    const calls = parts.flatMap((part, nth) =>
      part.type === "tool-call"
        ? [
            {
              id: part.id ?? `${index}-${nth}`,
              type: "function" as const,
              function: { name: part.name, arguments: part.args },
            },
          ]
        : [],
    );
    return { role, content: texts.join("\n"), ...(calls.length > 0 && { tool_calls: calls }) };
  });
}
