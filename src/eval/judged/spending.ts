import type { Model, ModelReply, ModelRequest, TokenCounter } from "../../core/types.ts";
import { modelInfo } from "../../tokens/model-info.ts";
import type { Arm } from "./arms.ts";
import { type Exam, examTokens, inPieces } from "./exam.ts";
import {
  judgeRequest,
  questionsTogether,
  readerRequest,
  SHEETS_AT_ONCE,
  USUAL_ANSWER,
  USUAL_MARK,
} from "./exam-requests.ts";
import type { JudgedSetup } from "./run-judged.ts";

/** What a model is asked for in an exam. */
export type Role = "summarizer" | "writer" | "reader" | "judge";

/** Requests and tokens of one role, and US dollars where the model's prices are known. */
export interface Expense {
  readonly role: Role;
  readonly model: string;
  readonly requests: number;
  readonly input: number;
  readonly output: number;
  readonly dollars?: number;
}

export interface Spending {
  add(role: Role, request: ModelRequest, reply: ModelReply): void;
  /** What was spent so far, roles that asked nothing left out. */
  all(): Expense[];
}

/** An expense with its price. */
export function expense(
  role: Role,
  model: string,
  amount: { readonly requests: number; readonly input: number; readonly output: number },
): Expense {
  const { prices } = modelInfo(model);
  const { requests, input, output } = amount;
  return {
    role,
    model,
    requests,
    input: Math.round(input),
    output: Math.round(output),
    ...(prices && { dollars: (input * prices.input + output * prices.output) / 1_000_000 }),
  };
}

/** Adds up what models report. Where one reports nothing, its tokens are counted. */
export function createSpending(
  models: Readonly<Partial<Record<Role, Model>>>,
  counter: TokenCounter,
): Spending {
  const totals = new Map<Role, { requests: number; input: number; output: number }>();
  return {
    add(role, request, { usage, text }) {
      const total = totals.get(role) ?? { requests: 0, input: 0, output: 0 };
      totals.set(role, total);
      total.requests += 1;
      total.input += usage?.input || requestTokens(request, counter);
      total.output += usage?.output ?? counter.count(text);
    },
    all: () => [...totals].map(([role, total]) => expense(role, models[role]?.id ?? "", total)),
  };
}

export function requestTokens({ system, messages }: ModelRequest, counter: TokenCounter): number {
  const texts = [system ?? "", ...messages.map((message) => message.text)];
  return texts.reduce((sum, text) => sum + counter.count(text), 0);
}

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
