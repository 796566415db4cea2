import { openaiChat } from "../../apis/chat/index.ts";
import type { Model, Profile, TokenCounter } from "../../core/types.ts";
import { createCompactor } from "../../engine/create-compactor.ts";
import { recallAllowance } from "../../engine/recall/recall-for.ts";
import { costOf } from "../contestants/packing.ts";
import type { Exam } from "./exam.ts";
import { type Shown, shownMessage } from "./reader-text.ts";

/** What precis makes a context of. */
export interface CompactedInput {
  readonly exam: Exam;
  readonly counter: TokenCounter;
  readonly profile?: Profile;
  /** Tokens that the context may have. */
  readonly size: number;
  /** Left out: no model is asked. */
  readonly summarizer?: Model;
  /** Compactions in a row, evenly spread over the messages, each on top of the last. Default 1: the whole at once. */
  readonly times?: number;
}

/** The clock of every measurement, so that the same run gives the same views. */
const NOW = 0;
/** A mailbox may be a person: a summary has this long (milliseconds). */
const DEADLINE_MS = 3_600_000;

/** Forced compactions that fill the size: one, or several on the way to the end. */
export async function compacted(input: CompactedInput): Promise<readonly Shown[]> {
  const { exam, size, times = 1 } = input;
  const compactor = compactorFor(input, { budget: size });
  let state: unknown;
  for (let time = 1; time < times; time++) {
    const until = Math.round((exam.messages.length * time) / times);
    const part = { ...input, exam: { ...exam, messages: exam.messages.slice(0, until) } };
    ({ state } = await compactFor(compactor, part, { budget: size, state }));
  }
  const { messages } = await compactFor(compactor, input, { budget: size, state });
  await compactor.close();
  return messages.map(shownMessage);
}

/**
 * The same with automatic recall: the compaction leaves what one message may have quoted, and each question is asked as the
 * user's next message. View and quotations together have the size.
 */
export async function compactedWithRecall(
  input: CompactedInput,
): Promise<(question: string) => Promise<readonly Shown[]>> {
  const { exam, counter, size } = input;
  const allowance = recallAllowance(size);
  // The reader is asked the question apart from its context, so the size isn't charged for it.
  const longest = Math.max(...exam.items.map(({ question }) => costOf(question, counter.count)));
  const compactor = compactorFor(input, {
    budget: size + longest,
    recall: { auto: true, tokens: allowance },
    auto: false,
  });
  const { state } = await compactFor(compactor, input, { budget: size - allowance, adopt: true });
  return async (question) => {
    const asked = [...exam.messages, { role: "user" as const, content: question }];
    const { messages } = await compactor.fit(asked, { state, now: NOW });
    return messages.slice(0, -1).map(shownMessage);
  };
}

function compactorFor(
  { counter, profile, summarizer }: CompactedInput,
  options: Pick<Profile, "recall" | "auto"> & { readonly budget: number },
) {
  return createCompactor({
    dialect: openaiChat,
    counter,
    ...(profile && { profile }),
    ...(summarizer && { summarizer, summary: { ...profile?.summary, deadlineMs: DEADLINE_MS } }),
    ...options,
  });
}

async function compactFor(
  compactor: ReturnType<typeof compactorFor>,
  { exam }: CompactedInput,
  { state, ...how }: { readonly budget: number; readonly adopt?: true; readonly state?: unknown },
) {
  const compaction = await compactor.compact(exam.messages, {
    ...how,
    ...(state !== undefined && { state }),
    now: NOW,
    waitMs: DEADLINE_MS,
  });
  // A refused summary is what users would get, too; a model that couldn't be reached measures nothing.
  const lost = compaction.report.modelCalls.find((call) => call.result === "failed");
  if (lost !== undefined) throw new Error(`precis: the summary of ${exam.id} failed: ${lost.note ?? ""}`);
  return compaction;
}
