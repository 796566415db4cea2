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
import type { Io } from "../io.ts";
import { namedModel } from "../model-flags.ts";
import { type Flag, oneOf, type ParsedFlags, UsageError } from "../parse-flags.ts";
import { parseCount } from "../parse-tokens.ts";
import { createProgress } from "../progress.ts";
import { FileError } from "../read-lines.ts";
import { createShow, measuredBy } from "./results.ts";

const DEFAULT_TRIALS = 3;
const DEFAULT_AT_ONCE = 4;
const DEFAULT_RUN = "judged";
/** Of the reader's window, what a context may take: questions and answers need the rest. */
const CONTEXT_SHARE = 0.85;
/** What the others are compared with, the first that takes part. */
const USUAL_BASES = ["recorded", "newest"];

/** Flags of `precis eval judged` alone. */
export const JUDGED_FLAGS = {
  exams: {
    value: "LIST",
    help: "judged: exams, or files with questions, or folders of them, with commas between",
  },
  reader: { value: "M", help: "judged: who answers: a model, NAME@URL, or mailbox:DIR" },
  judge: { value: "M", help: "judged: who marks the answers (default: the reader's model)" },
  summarizer: { value: "M", help: "rules, judged: who writes summaries, in the arms that need a model" },
  arms: {
    value: "LIST",
    help: `rules, judged: who takes part, of ${ARMS.map((arm) => arm.id).join(", ")} (default for judged: all; for rules: newest, precis, precis+model); precis*10: after ten compactions in a row`,
  },
  sizes: {
    value: "LIST",
    help: "rules, judged: sizes of the contexts: S (the recorded summary's), 2S, 10%, 4k (default for judged: S,2S or 10%; for rules: 4k,8k,16k)",
  },
  against: { value: "ARM", help: "judged: the arm that the others are compared with" },
  trials: { value: "N", help: `judged: how often each exam is held (default: ${DEFAULT_TRIALS})` },
  questions: { value: "N", help: "judged: at most so many questions of each exam; exam: how many to write" },
  "one-by-one": {
    help: "judged: ask every arm one question at a time, as arms with recall are asked anyway",
  },
  "at-once": {
    value: "N",
    help: `judged: requests under way at the same time (default: ${DEFAULT_AT_ONCE})`,
  },
  run: {
    value: "DIR",
    help: `judged: keeps the replies, so that a run can go on later (default: ${DEFAULT_RUN})`,
  },
  yes: { help: "rules, judged, exam: don't ask before models are asked" },
} as const satisfies Record<string, Flag>;

/** Holds exams: readers answer from each contestant's context, a judge marks the answers without names. */
export async function evalJudged(flags: ParsedFlags, io: Io, data: string): Promise<void> {
  const readerName = flags.value("reader");
  if (readerName === undefined)
    throw new UsageError("Who answers? Give --reader MODEL or --reader mailbox:DIR.");
  const reader = namedModel(readerName, flags, io);
  const judgeName = flags.value("judge");
  const judge = judgeName === undefined ? reader : namedModel(judgeName, flags, io);
  const summarizerName = flags.value("summarizer");
  const summarizer = summarizerName === undefined ? undefined : namedModel(summarizerName, flags, io);
  const { counter, ...profile } = await measuredBy(flags);
  const trials = flags.parsed("trials", parseCount) ?? DEFAULT_TRIALS;
  const isOneByOne = flags.has("one-by-one");

  const arms = armsOf(flags, summarizer);
  const largest = CONTEXT_SHARE * (reader.window ?? modelInfo(reader.id).window);
  const exams = examsOf(flags, data);
  const all = sittingsOf({ exams, arms, sizes: sizesOf(flags), counter, largest });
  const sittings = all.filter(({ entrants }) => entrants.length > 0);
  if (sittings.length === 0)
    throw new UsageError(
      "No arm can take part in any of the exams at these sizes. S needs a recorded summary.",
    );
  const against = baseOf(flags, sittings);
  warnOfWindow(all, arms, io);

  const show = await createShow(flags, io, () => pathsOf(flags));
  const journal = journalIn(flags.value("run") ?? DEFAULT_RUN);
  const kept = journal.size > 0 ? [`  ${journal.size} replies of earlier runs are kept and used again`] : [];
  const setup = { sittings, trials, isOneByOne, reader, judge, summarizer, counter };
  await confirmSpending(flags, io, [...spendLines(planJudged(setup)), ...kept]);

  const progress = createProgress(io, { json: flags.has("json") });
  const result = await runJudged({
    ...setup,
    journal,
    atOnce: flags.parsed("at-once", parseCount) ?? DEFAULT_AT_ONCE,
    signal: io.signal,
    ...profile,
    ...(against !== undefined && { against }),
    onProgress: (what, done, total) => progress.update(what, done, total),
  }).finally(() => progress.clear());
  const held = sittings.map(({ exam }) => exam);
  await show(result, judgedReport(result, held), { ranges: true });
  if (!flags.has("json") && result.spent.length > 0)
    io.stderr.write(`This run asked:\n${spendLines(result.spent).join("\n")}\n`);
}

function pathsOf(flags: ParsedFlags): string[] {
  const text = flags.value("exams");
  if (text === undefined) throw new UsageError("Which exams? Give --exams FILE or a folder of them.");
  return text.split(",").map((path) => path.trim());
}

function examsOf(flags: ParsedFlags, data: string): Exam[] {
  const paths = pathsOf(flags);
  for (const path of paths)
    if (statSync(path, { throwIfNoEntry: false }) === undefined)
      throw new FileError(`there is no file or folder ${path}.`);
  const exams = findExams(paths, data);
  if (exams.length === 0)
    throw new FileError(
      `${paths.join(", ")} holds no exams. One is JSON such as { "session": "FILE", "items": [{ "n", "type", "q", "expected", "rubric" }] }; precis eval exam FILE --writer MODEL writes it.`,
    );
  const most = flags.parsed("questions", parseCount);
  return most === undefined ? exams : exams.map((exam) => fewerQuestions(exam, most));
}

/** The arms that a command line names; else those of the usual ones whose model is there. */
export function armsOf(
  flags: ParsedFlags,
  summarizer: Model | undefined,
  usual: readonly string[] = ARMS.map(({ id }) => id),
): readonly Arm[] {
  const text = flags.value("arms");
  if (text === undefined)
    return ARMS.filter((arm) => usual.includes(arm.id) && (!arm.needsModel || summarizer !== undefined));
  return text.split(",").map((name) => {
    const arm = armCalled(name.trim());
    if (arm.needsModel && summarizer === undefined)
      throw new UsageError(`--arms ${arm.id} needs a model that writes summaries: --summarizer M.`);
    return arm;
  });
}

/** An arm by its name; `precis*10` is the one of that name after ten compactions in a row. */
function armCalled(name: string): Arm {
  const ids = ARMS.map((arm) => arm.id);
  const [id, times] = name.split("*", 2);
  const arm = ARMS.find((one) => one.id === oneOf("arms", id, ids)) as Arm;
  if (times === undefined) return arm;
  if (arm.inARow !== undefined) return arm.inARow(parseCount("arms", times));
  throw new UsageError(
    `--arms ${name}: only ${ARMS.flatMap((one) => (one.inARow ? [one.id] : [])).join(" and ")} can be compacted several times in a row.`,
  );
}

export function sizesOf(flags: ParsedFlags): ExamSize[] | undefined {
  return flags
    .value("sizes")
    ?.split(",")
    .map((text) => {
      const size = parseSize(text);
      if (size !== undefined) return size;
      throw new UsageError(`--sizes: "${text}" is no size. Write S, 2S, 10% or 4k.`);
    });
}

function baseOf(flags: ParsedFlags, sittings: readonly Sitting[]): string | undefined {
  const ids = sittings.flatMap(({ entrants }) => entrants.map(({ arm }) => arm.id));
  const given = flags.value("against");
  if (given === undefined) return USUAL_BASES.find((id) => ids.includes(id));
  const [name = ""] = given.split("@");
  if (ids.includes(name)) return given;
  throw new UsageError(
    `--against ${given}: it doesn't take part. There are ${[...new Set(ids)].join(", ")}.`,
  );
}

/** The whole history may be more than the reader can take. */
function warnOfWindow(sittings: readonly Sitting[], arms: readonly Arm[], io: Io): void {
  const whole = arms.find((arm) => arm.size === "all");
  if (whole === undefined) return;
  const without = sittings.filter(({ entrants }) => !entrants.some(({ arm }) => arm === whole)).length;
  if (without > 0)
    io.stderr.write(
      `precis: ${whole.label} is left out of ${without} of ${sittings.length} exams: it doesn't fit the reader's window (--window N sets it).\n`,
    );
}
