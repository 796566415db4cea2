import { setImmediate as breathe } from "node:timers/promises";
import type { Compactor, Dialect, FitInput, Message, Model } from "../../core/types.ts";
import { exactCounter } from "../../tokens/index.ts";
import { chatMessages } from "../data/sessions.ts";
import { arm, type Entrant } from "./arms.ts";
import { memoryJournal } from "./ask-list.ts";
import { type ExamItem, readerText, shownMessage } from "./exam.ts";
import { type JudgedSetup, runJudged } from "./run-judged.ts";
import { createSpending, type Expense, planJudged } from "./spending.ts";
import { planExam, writeExam } from "./write-exam.ts";

/** Questions that a judge writes where nobody says how many. */
export const JUDGE_QUESTIONS = 6;

/** What readers of each policy's last view know, in the order of the policies. */
interface ViewScores {
  /** Mean over the questions, 0 to 1. */
  readonly scores: readonly { readonly name: string; readonly score: number; readonly misleading: number }[];
  readonly spent: readonly Expense[];
}

/** Judges the last views of a conversation by what their readers know. */
interface ViewJudge {
  /** What it will ask for, before anything is asked. */
  plan(): Expense[];
  /** Writes the questions, has them answered from each view, and marked. */
  judge(options: {
    readonly signal?: AbortSignal;
    readonly onProgress?: (done: number, total: number) => void;
  }): Promise<ViewScores>;
}

const EXAM = "conversation";
/** Requests under way at the same time. */
const AT_ONCE = 3;
/** A question of usual length, for estimates. */
const USUAL_QUESTION = "Which of the things that were decided holds now, and what was the reason for it?";

/** One model writes the questions, answers and marks them; it never sees whose answers they are. */
export async function createViewJudge(options: {
  readonly dialect: Dialect<unknown>;
  readonly transcript: readonly unknown[];
  /** What every `fit` is given beside the transcript. */
  readonly input: FitInput<unknown>;
  /** Each makes one view, and is closed. */
  readonly policies: readonly { readonly name: string; readonly compactor: Compactor<unknown> }[];
  readonly model: Model;
  readonly questions: number;
}): Promise<ViewJudge> {
  const { dialect, transcript, policies, model, questions } = options;
  const counter = await exactCounter("o200k_base");
  const chatOf = (wires: readonly unknown[]) =>
    wires.map((wire): Message => dialect.read(wire)).flatMap(chatMessages);
  const messages = chatOf(transcript);
  const entrants: Entrant[] = [];
  // One after the other: each keeps the thread busy, and a server has others to serve.
  for (const [place, { name, compactor }] of policies.entries()) {
    await breathe();
    const view = await compactor.fit(transcript, options.input);
    await compactor.close();
    const shown = chatOf(view.messages).map(shownMessage);
    const id = `view-${place}`;
    const tokens = counter.count(readerText(shown));
    entrants.push({ id, sizeLabel: "view", tokens, arm: arm(id, name, {}, async () => shown) });
  }
  const setupOf = (items: readonly ExamItem[]): JudgedSetup => ({
    sittings: [{ exam: { id: EXAM, messages, items }, entrants }],
    trials: 1,
    isOneByOne: false,
    reader: model,
    judge: model,
    summarizer: undefined,
    counter,
  });
  const writing = { messages, writer: model, count: questions, counter };
  return {
    plan: () => [planExam(writing), ...planJudged(setupOf(usualItems(questions)))],
    async judge({ signal, onProgress }) {
      const journal = memoryJournal();
      const spending = createSpending({ writer: model }, counter);
      const stop = signal && { signal };
      const items = await writeExam({ ...writing, journal, spending, ...stop });
      const { rows, spent } = await runJudged({
        ...setupOf(items),
        journal,
        atOnce: AT_ONCE,
        ...stop,
        ...(onProgress && { onProgress: (_what, done, total) => onProgress(done, total) }),
      });
      return {
        scores: entrants.map(({ id, arm: { label: name } }) => {
          const { score, misleading } = rows.find((row) => row.arm === id)!;
          return { name, score: score.mean, misleading };
        }),
        spent: [...spending.all(), ...spent],
      };
    },
  };
}

/** Questions that aren't written yet, for an estimate. */
function usualItems(count: number): ExamItem[] {
  const usual = { type: "question", question: USUAL_QUESTION, expected: USUAL_QUESTION };
  return Array.from({ length: count }, (_, n) => ({ n, ...usual, rubric: [USUAL_QUESTION, USUAL_QUESTION] }));
}
