import { dirname, relative, resolve } from "node:path";
import { defined } from "../../core/defined.ts";
import { memoryJournal } from "../../eval/judged/journal.ts";
import { createSpending } from "../../eval/judged/spending.ts";
import { planExam, writeExam } from "../../eval/judged/write-exam.ts";
import { examConversation } from "../../eval/node/exam-conversation.ts";
import { exactCounter } from "../../tokens/index.ts";
import { confirmSpending, spendLines } from "../confirm-spending.ts";
import type { Io } from "../io.ts";
import { namedModel } from "../model-flags.ts";
import { type Flag, type ParsedFlags, UsageError } from "../parse-flags.ts";
import { parseCount } from "../parse-tokens.ts";
import { createProgress } from "../progress.ts";
import { checkReadable } from "../read-lines.ts";
import { refuseInput, writeOutput } from "../write-output.ts";

const DEFAULT_QUESTIONS = 12;

/** Flags of `precis eval exam` alone. */
export const EXAM_FLAGS = {
  writer: { value: "M", help: "exam: who writes the questions: a model, NAME@URL, or mailbox:DIR" },
  pick: { value: "N", help: "exam: which conversation of a file that holds several, from 1" },
  out: { value: "FILE", help: "exam: write the questions there instead of to stdout" },
} as const satisfies Record<string, Flag>;

/** Writes questions with rubrics about a conversation, for `precis eval judged`. */
export async function evalExam(flags: ParsedFlags, io: Io, file: string): Promise<void> {
  const name = flags.value("writer");
  if (name === undefined)
    throw new UsageError("Who writes the questions? Give --writer MODEL or --writer mailbox:DIR.");
  const writer = namedModel(name, flags, io);
  const count = flags.parsed("questions", parseCount) ?? DEFAULT_QUESTIONS;
  const pick = flags.parsed("pick", parseCount);
  const out = flags.value("out");
  await checkReadable(file);
  if (out !== undefined) await refuseInput("out", out, [file]);
  const counter = await exactCounter("o200k_base");
  const { messages, at } = examConversation(file, defined({ pick }));
  const input = { messages, writer, count, counter, signal: io.signal };
  await confirmSpending(flags, io, spendLines([planExam(input)]));

  const progress = createProgress(io, { json: flags.has("json") });
  progress.update(`${writer.id} writes questions`, 0, 0);
  const spending = createSpending({ writer }, counter);
  const items = await writeExam({ ...input, journal: memoryJournal(), spending }).finally(() =>
    progress.clear(),
  );
  const exam = {
    session: out === undefined ? resolve(file) : relative(dirname(resolve(out)), resolve(file)),
    ...(pick !== undefined && { pick }),
    at,
    items: items.map(({ n, type, question: q, expected, rubric }) => ({ n, type, q, expected, rubric })),
  };
  const text = `${JSON.stringify(exam, null, 2)}\n`;
  if (out === undefined) io.stdout.write(text);
  else {
    await writeOutput("out", out, file, text);
    io.stderr.write(
      `precis: wrote ${items.length} questions to ${out}. Look them through before you use them.\n`,
    );
  }
}
