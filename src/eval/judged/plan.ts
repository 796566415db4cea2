import type { Arm } from "./arms.ts";
import { type Exam, inPieces } from "./exam.ts";
import { judgeRequest, SHEETS_AT_ONCE, USUAL_MARK } from "./mark-answers.ts";
import { questionsTogether, readerRequest, USUAL_ANSWER } from "./read-exam.ts";
import type { JudgedSetup } from "./run-judged.ts";
import { examTokens } from "./size.ts";
import { type Expense, expense, requestTokens } from "./spending.ts";

/** A summary is asked for with a prompt beside the conversation (share of the conversation). */
const SUMMARY_INPUT = 1.1;
/** However often a conversation is compacted, its summaries read it about so often at most. */
const MOST_READINGS = 4;
/** What a summary has on average, notes included (tokens). */
const USUAL_SUMMARY = 2_500;

/**
 * A summary that lacks names or is too long is sent back, without the conversation: one such request for each is counted, which is
 * more than most models need.
 */
const SECOND_REQUESTS = 1;
/** What such a request reads: rules, the draft, and the lines of what it lacks (tokens). */
const SECOND_INPUT = 4_500;

/**
 * What a run will ask for, before anything is asked. Requests for summaries are as many as are likely at most; an answer of a reader or a
 * judge that can't be used is asked for once more, which isn't counted. Tokens are estimates.
 */
export function planJudged(options: JudgedSetup): Expense[] {
  const { sittings, trials, counter } = options;
  const reader = { requests: 0, input: 0, output: 0 };
  const judge = { requests: 0, input: 0, output: 0 };
  for (const { exam, entrants } of sittings) {
    for (const { arm, tokens } of entrants) {
      for (const items of questionsTogether(exam, arm, options.isOneByOne)) {
        const asked = requestTokens(readerRequest("", items), counter);
        reader.requests += trials;
        reader.input += trials * (tokens + asked);
        reader.output += trials * items.length * USUAL_ANSWER;
      }
    }
    for (const items of inPieces(exam.items, SHEETS_AT_ONCE)) {
      const sheets = items.map((item) => ({ item, answers: [], seed: 0 }));
      const answers = items.length * entrants.length;
      judge.requests += trials;
      judge.input += trials * (requestTokens(judgeRequest(sheets), counter) + answers * USUAL_ANSWER);
      judge.output += trials * answers * USUAL_MARK;
    }
  }
  return [
    ...planSummaries(
      sittings.flatMap(({ exam, entrants }) => entrants.map(({ arm }) => ({ exam, arm }))),
      options,
    ),
    expense("reader", options.reader.id, reader),
    expense("judge", options.judge.id, judge),
  ];
}

/** What the summaries of these arms take; nothing where no arm needs a model. */
export function planSummaries(
  views: readonly { readonly exam: Exam; readonly arm: Arm }[],
  { summarizer, counter }: Pick<JudgedSetup, "summarizer" | "counter">,
): Expense[] {
  const amount = { requests: 0, input: 0, output: 0 };
  for (const { exam, arm } of views) {
    if (!arm.needsModel) continue;
    const readings = Math.min(arm.times, MOST_READINGS);
    const again = arm.times * SECOND_REQUESTS;
    amount.requests += arm.times + again;
    amount.input += readings * SUMMARY_INPUT * examTokens(exam, counter.count) + again * SECOND_INPUT;
    amount.output += (arm.times + again) * USUAL_SUMMARY;
  }
  return amount.requests > 0 ? [expense("summarizer", summarizer?.id ?? "", amount)] : [];
}
