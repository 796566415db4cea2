import { statSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { defined } from "../core/collections.ts";
import type { Model } from "../core/types.ts";
import { baselines, precis } from "../eval/contestants.ts";
import { PRICES } from "../eval/cost/cost-session.ts";
import { type CostResult, costReport } from "../eval/cost/run-cost.ts";
import { ARMS, type Arm, type ExamSize, parseSize, type Sitting, sittingsOf } from "../eval/judged/arms.ts";
import { memoryJournal } from "../eval/judged/ask-list.ts";
import { type Exam, fewerQuestions } from "../eval/judged/exam.ts";
import { judgedReport } from "../eval/judged/judged-report.ts";
import { runJudged } from "../eval/judged/run-judged.ts";
import { createSpending, planJudged, planSummaries } from "../eval/judged/spending.ts";
import { planExam, writeExam } from "../eval/judged/write-exam.ts";
import { costInThreads, LEAST_TOKENS } from "../eval/node/cost-threads.ts";
import { journalIn } from "../eval/node/data-files.ts";
import { examConversation, findExams } from "../eval/node/find-exams.ts";
import { filesRead, findSets } from "../eval/node/find-sets.ts";
import { type Report, reportPage } from "../eval/report/report.ts";
import { retentionReport, runRetention } from "../eval/retention.ts";
import { RULES_DEFAULTS, rulesConversations } from "../eval/rules/conversation.ts";
import { LANGUAGE_CODES } from "../eval/rules/phrases.ts";
import { rulesReport, rulesResult } from "../eval/rules/result.ts";
import { ownConversations, runRules, viewsOf } from "../eval/rules/run-rules.ts";
import type { EvalSet } from "../eval/types.ts";
import { profiles } from "../profiles/index.ts";
import { charsCounter, exactCounter, modelInfo } from "../tokens/index.ts";
import { oneOf, parseCount, parseTokens, UsageError } from "./flags.ts";
import { confirmSpending, namedModel, spendLines } from "./model.ts";
import { checkReadable, FileError } from "./read-lines.ts";
import { reportText } from "./report-text.ts";
import type { Run, RunOf } from "./run.ts";
import { refuseInput, writeOutput } from "./write-output.ts";

const DEFAULT_BUDGETS = ["5", "10", "25"];
export async function retention(run: RunOf<"eval retention">): Promise<void> {
  const { io, options, progress } = run;
  const { data = DEFAULT_DATA } = options;
  const shares = (options.budgets ?? DEFAULT_BUDGETS).map(shareIn);
  const sets = setsFor(data, options.sets);
  const show = await createShow(run, () => filesRead(data));
  const measured = await measuredBy(options);
  const result = await runRetention({
    sets,
    contestants: [precis(measured), ...baselines],
    counter: measured.counter,
    shares,
    everyNth: everyNth(options),
    onProgress: (set, cases) => {
      io.signal.throwIfAborted();
      progress.update(`${set}: ${cases}`, 0, 0);
    },
  });
  progress.clear();
  await show(result, retentionReport(result), { ranges: options.intervals === true });
}

function setsFor(data: string, name: string | undefined): EvalSet[] {
  checkDataFolder(data);
  const all = findSets(data);
  if (all.length === 0)
    throw new FileError(`the folder ${data} has no data in a known format. ${DATA_NEEDED}`);
  const chosen = name === undefined ? all : all.filter((set) => set.id.includes(name));
  if (chosen.length > 0) return chosen;
  throw new UsageError(
    `--sets ${name}: no set has this in its name. The sets are ${all.map((set) => set.id).join(", ")}.`,
  );
}

/** `10` or `10%` as a share. */
function shareIn(item: string): number {
  const percent = Number(item.replace(/%$/, ""));
  if (item !== "" && percent > 0 && percent <= 100) return percent / 100;
  throw new UsageError(
    `--budgets: "${item}" is not a percentage above 0 and up to 100. Write it like 5,10,25.`,
  );
}

/** Where data is looked for: a folder of this name where the command runs. */
const DEFAULT_DATA = "data";
/** In a sample: every n-th session. */
const SAMPLE_EVERY = 6;
const everyNth = ({ sample }: { readonly sample?: true }): number => (sample ? SAMPLE_EVERY : 1);

/** How precis is measured, and how tokens are counted. */
const measuredBy = async ({
  counter,
  profile,
}: Pick<RunOf<"eval rules">["options"], "counter" | "profile">) => ({
  counter: counter === "chars" ? charsCounter() : await exactCounter("o200k_base"),
  ...(profile && { profile: profiles[profile] }),
});

/**
 * Shows what was measured: a table for people, JSON for programs, a page for both. Called before the measuring, which takes a while, it
 * refuses a page that would overwrite what is read.
 */
async function createShow(
  {
    options,
    note,
    print,
    look,
  }: Pick<Run, "look" | "note" | "print"> & { readonly options: { readonly html?: string } },
  inputs: () => readonly string[],
) {
  const { html } = options;
  const files = html === undefined ? [] : inputs();
  if (html !== undefined) await refuseInput("html", html, files);
  return async (result: unknown, report: Report, { ranges }: { readonly ranges: boolean }): Promise<void> => {
    if (html !== undefined) {
      await writeOutput("html", html, files, reportPage(report));
      note(`wrote ${html}`);
    }
    print(result, () => reportText(report, { ...look, ranges }));
  };
}

/** What a folder of data holds: none comes with precis. */
const DATA_NEEDED =
  "It must contain your own recorded conversations as .json, .jsonl or .traj files (plain or .gz), in any format that precis replay reads: logs of Claude Code, Codex, pi, OpenHands or SWE-agent, or lists of { role, content } messages.";

/** Says in words why a folder of data can't be read. */
function checkDataFolder(data: string): void {
  const found = statSync(data, { throwIfNoEntry: false });
  if (found === undefined)
    throw new FileError(
      `there is no folder ${data}, and precis comes without data. Give a folder with --data DIR. ${DATA_NEEDED}`,
    );
  if (!found.isDirectory()) throw new UsageError(`--data ${data} is a file. Give a folder.`);
}

/** Chains meet large windows, single sessions the small ones. */
const DEFAULT_WINDOWS = { sessions: "64k", chains: "128k" } as const;
const DEFAULT_HEAD = 15_000;
/** Kept free for the answer: less where the window is small (tokens). */
const RESERVE = { small: 4_000, usual: 8_000, smallUpTo: 32_000 } as const;
const MS_PER_MINUTE = 60_000;

/** What whole sessions cost under each strategy, prompt cache and all, beside sending everything. */
export async function cost(run: RunOf<"eval cost">): Promise<void> {
  const { io, options, progress } = run;
  const { chains = "yes", counter = "chars", data = DEFAULT_DATA, head = DEFAULT_HEAD, windows } = options;
  const prices = { ...PRICES[options.prices ?? "anthropic"], ...ttlOf(options.ttl) };
  checkDataFolder(data);
  const show = await createShow(run, () => filesRead(data));
  const results: CostResult[] = [];
  const measure = async (name: "sessions" | "chains"): Promise<void> => {
    for (const text of windows ?? [DEFAULT_WINDOWS[name]]) {
      const window = parseTokens("windows", text);
      const reserve = window <= RESERVE.smallUpTo ? RESERVE.small : RESERVE.usual;
      if (window - head - reserve <= 0)
        throw new UsageError(`--windows ${window}: a head of ${head} tokens leaves no room.`);
      const result = await costInThreads(
        name,
        {
          data,
          everyNth: everyNth(options),
          chained: name === "chains",
          counter,
          window,
          head,
          reserve,
          prices,
        },
        { signal: io.signal, onProgress: progress.update },
      );
      if (result) results.push(result);
    }
  };
  if (chains !== "only") await measure("sessions");
  if (chains !== "no") await measure("chains");
  progress.clear();
  if (results.length === 0)
    throw new FileError(`${data} contains no agent session of ${LEAST_TOKENS} tokens or more.`);
  await show({ results }, costReport(results), { ranges: false });
}

function ttlOf(ttl: string | undefined): { readonly ttlMs?: number } {
  if (ttl === undefined) return {};
  if (ttl === "never") return { ttlMs: Number.POSITIVE_INFINITY };
  const minutes = Number(ttl);
  if (!(minutes > 0)) throw new UsageError(`--ttl ${ttl}: give minutes above 0, or never.`);
  return { ttlMs: minutes * MS_PER_MINUTE };
}

const DEFAULT_ARMS = ["newest", "precis", "precis+model"];

/** Whether a user's rules survive compaction word for word: in made conversations, or in recorded ones. */
export async function rules(run: RunOf<"eval rules">): Promise<void> {
  const { io, options, progress } = run;
  const { data } = options;
  const measured = await measuredBy(options);
  const summarizer = options.summarizer === undefined ? undefined : namedModel(options.summarizer, run);
  const arms = armsOf(options.arms, summarizer, DEFAULT_ARMS);
  const compactions = options.times?.map((text) => parseCount("times", text)) ?? [
    ...RULES_DEFAULTS.compactions,
  ];
  const conversations = data === undefined ? made(options) : recorded(data, options);
  const sizes =
    sizesOf(options.sizes) ?? RULES_DEFAULTS.sizes.map((tokens) => ({ type: "tokens" as const, tokens }));
  const show = await createShow(run, () => (data === undefined ? [] : filesRead(data)));

  const expenses = planSummaries(
    conversations.flatMap(({ id, messages }) =>
      sizes.flatMap(() =>
        viewsOf(arms, compactions).map(({ made: arm }) => ({ exam: { id, messages, items: [] }, arm })),
      ),
    ),
    { summarizer, counter: measured.counter },
  );
  if (expenses.length > 0) await confirmSpending(run, spendLines(expenses));

  const fates = await runRules({
    conversations,
    arms,
    sizes,
    compactions,
    ...measured,
    ...(summarizer && { summarizer }),
    onProgress(done, total) {
      io.signal.throwIfAborted();
      progress.update("views", done, total);
    },
  }).finally(() => progress.clear());
  const result = rulesResult(fates, {
    counter: measured.counter.id,
    conversations: conversations.length,
    ...(summarizer && { summarizer: summarizer.id }),
  });
  await show(result, rulesReport(result), { ranges: false });
}

type RulesOptions = RunOf<"eval rules">["options"];

function made({ languages, ...options }: RulesOptions) {
  const codes = languages?.map((text) => oneOf("languages", text, LANGUAGE_CODES)) ?? LANGUAGE_CODES;
  const all = rulesConversations({ languages: codes, seeds: 1 });
  return all.filter((_, index) => index % everyNth(options) === 0);
}

function recorded(data: string, { languages, ...options }: RulesOptions) {
  if (languages) throw new UsageError("--languages applies only to generated conversations, not to --data.");
  checkDataFolder(data);
  const found = [...ownConversations(findSets(data), everyNth(options))];
  if (found.length > 0) return found;
  throw new FileError(`${data} has no conversation in which a user states a rule (always, never, only).`);
}

const DEFAULT_RUN = "judged";
/** Of the reader's window, what a context may take: questions and answers need the rest. */
const CONTEXT_SHARE = 0.85;
/** What the others are compared with, the first that takes part. */
const USUAL_BASES = ["recorded", "newest"];

/** Holds exams: readers answer from each contestant's context, a judge marks the answers without names. */
export async function judged(run: RunOf<"eval judged">): Promise<void> {
  const { io, options, progress, note } = run;
  const { trials = 3, oneByOne: isOneByOne = false, exams: inputs } = options;
  if (options.reader === undefined)
    throw new UsageError("eval judged needs a reader: --reader MODEL or --reader mailbox:DIR.");
  const reader = namedModel(options.reader, run);
  const judge = options.judge === undefined ? reader : namedModel(options.judge, run);
  const summarizer = options.summarizer === undefined ? undefined : namedModel(options.summarizer, run);
  const { counter, ...profile } = await measuredBy(options);

  const arms = armsOf(options.arms, summarizer);
  const largest = CONTEXT_SHARE * (reader.window ?? modelInfo(reader.id).window);
  if (inputs === undefined)
    throw new UsageError("eval judged needs exams: --exams FILE or a folder of them.");
  const exams = examsOf(inputs, options.data ?? DEFAULT_DATA, options.questions);
  const all = sittingsOf({ exams, arms, sizes: sizesOf(options.sizes), counter, largest });
  const sittings = all.filter(({ entrants }) => entrants.length > 0);
  if (sittings.length === 0)
    throw new UsageError("No arm can take part in any exam at these sizes. S needs a recorded summary.");
  const against = baseOf(options.against, sittings);
  warnOfWindow(all, arms, note);

  const show = await createShow(run, () => inputs);
  const journal = journalIn(options.run ?? DEFAULT_RUN);
  const kept = journal.size > 0 ? [`  ${journal.size} replies of earlier runs are reused`] : [];
  const setup = { sittings, trials, isOneByOne, reader, judge, summarizer, counter };
  await confirmSpending(run, [...spendLines(planJudged(setup)), ...kept]);

  const result = await runJudged({
    ...setup,
    journal,
    atOnce: options.atOnce ?? 4,
    signal: io.signal,
    ...profile,
    ...(against !== undefined && { against }),
    onProgress: (what, done, total) => progress.update(what, done, total),
  }).finally(() => progress.clear());
  const held = sittings.map(({ exam }) => exam);
  await show(result, judgedReport(result, held), { ranges: true });
  if (!options.json && result.spent.length > 0)
    io.stderr.write(`This run used:\n${spendLines(result.spent).join("\n")}\n`);
}

function examsOf(paths: readonly string[], data: string, most: number | undefined): Exam[] {
  for (const path of paths)
    if (statSync(path, { throwIfNoEntry: false }) === undefined)
      throw new FileError(`there is no file or folder ${path}.`);
  const exams = findExams(paths, data);
  if (exams.length === 0)
    throw new FileError(
      `${paths.join(", ")} contains no exams. An exam is JSON such as { "session": "FILE", "items": [{ "n", "type", "q", "expected", "rubric" }] }; precis eval exam FILE --writer MODEL writes it.`,
    );
  return most === undefined ? exams : exams.map((exam) => fewerQuestions(exam, most));
}

/** The arms that a command line names; else those of the usual ones whose model is there. */
function armsOf(
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

const sizesOf = (texts: readonly string[] | undefined): ExamSize[] | undefined =>
  texts?.map((text) => {
    const size = parseSize(text);
    if (size !== undefined) return size;
    throw new UsageError(`--sizes: "${text}" isn't a size. Write S, 2S, 10% or 4k.`);
  });

function baseOf(given: string | undefined, sittings: readonly Sitting[]): string | undefined {
  const ids = sittings.flatMap(({ entrants }) => entrants.map(({ arm }) => arm.id));
  if (given === undefined) return USUAL_BASES.find((id) => ids.includes(id));
  const [name = ""] = given.split("@");
  if (ids.includes(name)) return given;
  throw new UsageError(
    `--against ${given}: it doesn't take part. The arms are ${[...new Set(ids)].join(", ")}.`,
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
      `${whole.label} is skipped in ${without} of ${sittings.length} exams: it doesn't fit the reader's window (set with --window N).`,
    );
}

/** Writes questions with rubrics about a conversation, for `precis eval judged`. */
export async function exam(run: RunOf<"eval exam">): Promise<void> {
  const { io, progress, note } = run;
  const { writer: name, questions: count = 12, pick, out } = run.options;
  const file = run.args[0]!;
  if (name === undefined)
    throw new UsageError("eval exam needs a writer: --writer MODEL or --writer mailbox:DIR.");
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
    note(`wrote ${items.length} questions to ${out}. Check them before use.`);
  }
}
