import { statSync } from "node:fs";
import type { Model } from "../../core/types.ts";
import { ARMS, type Arm } from "../../eval/judged/arms.ts";
import { type Sitting, sittingsOf } from "../../eval/judged/entrants.ts";
import { type Exam, fewerQuestions } from "../../eval/judged/exam.ts";
import { judgedReport } from "../../eval/judged/judged-report.ts";
import { planJudged } from "../../eval/judged/plan.ts";
import { runJudged } from "../../eval/judged/run-judged.ts";
import { type ExamSize, parseSize } from "../../eval/judged/size.ts";
import { findExams } from "../../eval/node/find-exams.ts";
import { journalIn } from "../../eval/node/journal-file.ts";
import { modelInfo } from "../../tokens/index.ts";
import { confirmSpending, spendLines } from "../confirm-spending.ts";
import { oneOf, parseCount, UsageError } from "../flags.ts";
import { namedModel } from "../model.ts";
import { FileError } from "../read-lines.ts";
import type { RunOf } from "../run.ts";
import { createShow, DEFAULT_DATA, measuredBy } from "./shared.ts";

const DEFAULT_TRIALS = 3;
const DEFAULT_AT_ONCE = 4;
const DEFAULT_RUN = "judged";
/** Of the reader's window, what a context may take: questions and answers need the rest. */
const CONTEXT_SHARE = 0.85;
/** What the others are compared with, the first that takes part. */
const USUAL_BASES = ["recorded", "newest"];

/** Holds exams: readers answer from each contestant's context, a judge marks the answers without names. */
export async function judged(run: RunOf<"eval judged">): Promise<void> {
  const { io, options, progress, note } = run;
  const { trials = DEFAULT_TRIALS, oneByOne: isOneByOne = false, exams: inputs } = options;
  if (options.reader === undefined)
    throw new UsageError("Who answers? Give --reader MODEL or --reader mailbox:DIR.");
  const reader = namedModel(options.reader, run);
  const judge = options.judge === undefined ? reader : namedModel(options.judge, run);
  const summarizer = options.summarizer === undefined ? undefined : namedModel(options.summarizer, run);
  const { counter, ...profile } = await measuredBy(options);

  const arms = armsOf(options.arms, summarizer);
  const largest = CONTEXT_SHARE * (reader.window ?? modelInfo(reader.id).window);
  if (inputs === undefined) throw new UsageError("Which exams? Give --exams FILE or a folder of them.");
  const exams = examsOf(inputs, options.data ?? DEFAULT_DATA, options.questions);
  const all = sittingsOf({ exams, arms, sizes: sizesOf(options.sizes), counter, largest });
  const sittings = all.filter(({ entrants }) => entrants.length > 0);
  if (sittings.length === 0)
    throw new UsageError(
      "No arm can take part in any of the exams at these sizes. S needs a recorded summary.",
    );
  const against = baseOf(options.against, sittings);
  warnOfWindow(all, arms, note);

  const show = await createShow(run, () => inputs);
  const journal = journalIn(options.run ?? DEFAULT_RUN);
  const kept = journal.size > 0 ? [`  ${journal.size} replies of earlier runs are kept and used again`] : [];
  const setup = { sittings, trials, isOneByOne, reader, judge, summarizer, counter };
  await confirmSpending(run, [...spendLines(planJudged(setup)), ...kept]);

  const result = await runJudged({
    ...setup,
    journal,
    atOnce: options.atOnce ?? DEFAULT_AT_ONCE,
    signal: io.signal,
    ...profile,
    ...(against !== undefined && { against }),
    onProgress: (what, done, total) => progress.update(what, done, total),
  }).finally(() => progress.clear());
  const held = sittings.map(({ exam }) => exam);
  await show(result, judgedReport(result, held), { ranges: true });
  if (!options.json && result.spent.length > 0)
    io.stderr.write(`This run asked:\n${spendLines(result.spent).join("\n")}\n`);
}

function examsOf(paths: readonly string[], data: string, most: number | undefined): Exam[] {
  for (const path of paths)
    if (statSync(path, { throwIfNoEntry: false }) === undefined)
      throw new FileError(`there is no file or folder ${path}.`);
  const exams = findExams(paths, data);
  if (exams.length === 0)
    throw new FileError(
      `${paths.join(", ")} holds no exams. One is JSON such as { "session": "FILE", "items": [{ "n", "type", "q", "expected", "rubric" }] }; precis eval exam FILE --writer MODEL writes it.`,
    );
  return most === undefined ? exams : exams.map((exam) => fewerQuestions(exam, most));
}

/** The arms that a command line names; else those of the usual ones whose model is there. */
export function armsOf(
  names: readonly string[] | undefined,
  summarizer: Model | undefined,
  usual: readonly string[] = ARMS.map(({ id }) => id),
): readonly Arm[] {
  if (names === undefined)
    return ARMS.filter((arm) => usual.includes(arm.id) && (!arm.needsModel || summarizer !== undefined));
  return names.map((name) => {
    const arm = armCalled(name);
    if (arm.needsModel && summarizer === undefined)
      throw new UsageError(`--arms ${arm.id} needs a model that writes summaries: --summarizer M.`);
    return arm;
  });
}

/** An arm by its name; `precis*10` is the one of that name after ten compactions in a row. */
function armCalled(name: string): Arm {
  const ids = ARMS.map((arm) => arm.id);
  const [id, times] = name.split("*", 2);
  const arm = ARMS.find((one) => one.id === oneOf("arms", id!, ids)) as Arm;
  if (times === undefined) return arm;
  if (arm.inARow !== undefined) return arm.inARow(parseCount("arms", times));
  throw new UsageError(
    `--arms ${name}: only ${ARMS.flatMap((one) => (one.inARow ? [one.id] : [])).join(" and ")} can be compacted several times in a row.`,
  );
}

export const sizesOf = (texts: readonly string[] | undefined): ExamSize[] | undefined =>
  texts?.map((text) => {
    const size = parseSize(text);
    if (size !== undefined) return size;
    throw new UsageError(`--sizes: "${text}" is no size. Write S, 2S, 10% or 4k.`);
  });

function baseOf(given: string | undefined, sittings: readonly Sitting[]): string | undefined {
  const ids = sittings.flatMap(({ entrants }) => entrants.map(({ arm }) => arm.id));
  if (given === undefined) return USUAL_BASES.find((id) => ids.includes(id));
  const [name = ""] = given.split("@");
  if (ids.includes(name)) return given;
  throw new UsageError(
    `--against ${given}: it doesn't take part. There are ${[...new Set(ids)].join(", ")}.`,
  );
}

/** The whole history may be more than the reader can take. */
function warnOfWindow(
  sittings: readonly Sitting[],
  arms: readonly Arm[],
  note: RunOf<"eval judged">["note"],
): void {
  const whole = arms.find((arm) => arm.size === "all");
  if (whole === undefined) return;
  const without = sittings.filter(({ entrants }) => !entrants.some(({ arm }) => arm === whole)).length;
  if (without > 0)
    note(
      `${whole.label} is left out of ${without} of ${sittings.length} exams: it doesn't fit the reader's window (--window N sets it).`,
    );
}
