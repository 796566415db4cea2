import { dirname, relative, resolve } from "node:path";
import { defined } from "../../core/collections.ts";
import { memoryJournal } from "../../eval/judged/journal.ts";
import { createSpending } from "../../eval/judged/spending.ts";
import { planExam, writeExam } from "../../eval/judged/write-exam.ts";
import { examConversation } from "../../eval/node/exam-conversation.ts";
import { exactCounter } from "../../tokens/index.ts";
import { confirmSpending, spendLines } from "../confirm-spending.ts";
import { UsageError } from "../flags.ts";
import { namedModel } from "../model.ts";
import { checkReadable } from "../read-lines.ts";
import type { RunOf } from "../run.ts";
import { refuseInput, writeOutput } from "../write-output.ts";

const DEFAULT_QUESTIONS = 12;

/** Writes questions with rubrics about a conversation, for `precis eval judged`. */
export async function exam(run: RunOf<"eval exam">): Promise<void> {
  const { io, progress, note } = run;
  const { writer: name, questions: count = DEFAULT_QUESTIONS, pick, out } = run.options;
  const file = run.args[0]!;
  if (name === undefined)
    throw new UsageError("Who writes the questions? Give --writer MODEL or --writer mailbox:DIR.");
  const writer = namedModel(name, run);
  await checkReadable(file);
  if (out !== undefined) await refuseInput("out", out, [file]);
  const counter = await exactCounter("o200k_base");
  const { messages, at } = examConversation(file, defined({ pick }));
  const input = { messages, writer, count, counter, signal: io.signal };
  await confirmSpending(run, spendLines([planExam(input)]));

  progress.update(`${writer.id} writes questions`, 0, 0);
  const spending = createSpending({ writer }, counter);
  const items = await writeExam({ ...input, journal: memoryJournal(), spending }).finally(() =>
    progress.clear(),
  );
  const written = {
    session: out === undefined ? resolve(file) : relative(dirname(resolve(out)), resolve(file)),
    ...(pick !== undefined && { pick }),
    at,
    items: items.map(({ n, type, question: q, expected, rubric }) => ({ n, type, q, expected, rubric })),
  };
  const text = `${JSON.stringify(written, null, 2)}\n`;
  if (out === undefined) io.stdout.write(text);
  else {
    await writeOutput("out", out, file, text);
    note(`wrote ${items.length} questions to ${out}. Look them through before you use them.`);
  }
}
