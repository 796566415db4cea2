import type { Compactor, Dialect, FitInput, Prices, StrategyName } from "../core/types.ts";
import { createCompactor } from "../engine/create-compactor.ts";
import { createViewJudge, JUDGE_QUESTIONS } from "../eval/judged/judge-views.ts";
import { modelCounting, windowOptions } from "../eval/replay/model-counting.ts";
import { type Replay, simulate } from "../eval/replay/simulate.ts";
import { totalsOf } from "../eval/replay/totals.ts";
import { reportPage } from "../eval/report/report.ts";
import { systemTokens } from "../gateway/conversation/view-of.ts";
import { profiles } from "../profiles/index.ts";
import { modelInfo } from "../tokens/index.ts";
import { UsageError } from "./flags.ts";
import { formatCount } from "./format.ts";
import { confirmSpending, namedModel, spendLines } from "./model.ts";
import { knownModel, type OpenLog, openLog } from "./open-log.ts";
import { COMPARED, comparedOf, type ReplayFacts, replayReport } from "./replay/report.ts";
import { suggestProfile } from "./replay/suggest-profile.ts";
import { reportText } from "./report-text.ts";
import type { RunOf } from "./run.ts";
import { writeOutput } from "./write-output.ts";

export async function replay(run: RunOf<"replay">): Promise<void> {
  const { io, options, progress } = run;
  const file = run.args[0]!;
  const profile = profiles[options.profile ?? "agent"];
  const prices = askedPrices(options);
  const { log, dialect } = await openLog(file, run);
  const { model, window: own, measure } = await modelCounting(log.model);
  const window = options.window ?? own;
  if (window === undefined) throw whichWindow(log);

  const input = { system: log.system, tools: log.tools };
  const compactorOf = (strategy: StrategyName) =>
    createCompactor({ dialect, profile, strategy, ...windowOptions(model, window) });
  const walk = async (strategy: StrategyName): Promise<Replay> => {
    const compactor = compactorOf(strategy);
    const replay = await simulate({
      compactor,
      dialect,
      measure,
      messages: log.messages,
      ...(log.times && { times: log.times }),
      input,
      signal: io.signal,
      onProgress: (done, total) =>
        progress.update(
          `${strategy}: replaying request ${formatCount(done + 1)} of ${formatCount(total)}`,
          done,
          total,
        ),
    });
    await compactor.close();
    return replay;
  };
  const strategy = options.strategy ?? profile.strategy ?? "summarize-oldest";
  const main = await walk(strategy);
  const [first] = main.impossible;
  if (first !== undefined && main.requests.length === 0) throw first.error;
  const runs: { strategy: StrategyName; replay: Replay }[] = [];
  for (const other of prices === undefined ? [] : COMPARED)
    runs.push({ strategy: other, replay: other === strategy ? main : await walk(other) });
  progress.clear();
  const judging = { dialect, transcript: log.messages, input, strategies: COMPARED, compactorOf };
  const knows = await judgedShares(run, judging);

  const suggested = suggestProfile(log.messages.map((message) => dialect.read(message)));
  const facts: ReplayFacts = {
    file: file === "-" && log.title !== undefined ? log.title : (file.split("/").at(-1) ?? file),
    source: log.source === "messages" ? dialect.id : log.source,
    dialect: dialect.id,
    messages: log.messages.length,
    tokens: log.messages.reduce<number>(
      (sum, message) => sum + measure.message(dialect.read(message)),
      systemTokens({ dialect, system: log.system }, measure),
    ),
    window,
    strategy,
    profile: profile.name,
    ...(prices && { pricesOf: options.prices! }),
    ...(suggested !== profile.name && !options.profile && { suggested }),
    warnings: [...log.warnings, ...impossibleNote(main)],
  };
  const totals = totalsOf(main, prices);
  const compared = comparedOf(runs, prices, knows);
  impossibleNote(main).forEach(run.note);
  const report = replayReport({ facts, replay: main, totals, compared });
  if (options.html) await writeOutput("html", options.html, file, reportPage(report));
  const { budget, compactions, requests } = main;
  const strategies = compared.length === 0 ? {} : { strategies: compared };
  run.print({ ...facts, budget, totals, ...strategies, compactions, requests }, () =>
    reportText(report, run.look),
  );
  if (options.html) run.note(`wrote ${options.html}`);
}

/** What the model that `--prices` names costs. */
function askedPrices({ prices: model, judge }: RunOf<"replay">["options"]): Prices | undefined {
  if (model === undefined && judge === undefined) return undefined;
  if (model === undefined)
    throw new UsageError("--judge needs --prices: it judges every strategy in that comparison.");
  const fix = "Name a model with known prices, such as claude-sonnet-5.";
  const { prices } = modelInfo(knownModel("prices", model, fix));
  if (prices !== undefined) return prices;
  throw new UsageError(`--prices ${model}: the registry has no prices for this model.`);
}

function impossibleNote({ impossible }: Replay): string[] {
  const first = impossible[0];
  if (first === undefined) return [];
  const count = impossible.length === 1 ? "one request doesn't" : `${impossible.length} requests don't`;
  const reason = first.error.message.replace(/^precis: /, "");
  return [`${count} fit at all and can't be shown; after message ${first.at}: ${reason}`];
}

function whichWindow({ model }: OpenLog["log"]): UsageError {
  const why =
    model === undefined ? "the file names no model" : `the file's model, ${model}, isn't in the registry`;
  return new UsageError(`replay needs --window (32k): ${why}.`);
}

/** Asks the judge, if one is named: the share of its questions that a reader of each strategy's last view answers right. */
async function judgedShares(
  run: RunOf<"replay">,
  asked: {
    readonly dialect: Dialect<unknown>;
    readonly transcript: readonly unknown[];
    readonly input: FitInput<unknown>;
    readonly strategies: readonly StrategyName[];
    readonly compactorOf: (strategy: StrategyName) => Compactor<unknown>;
  },
): Promise<ReadonlyMap<StrategyName, number>> {
  const { io, options, progress } = run;
  const { dialect, transcript, input, strategies, compactorOf } = asked;
  const { judge: name, questions = JUDGE_QUESTIONS, window: _window, ...reach } = options;
  if (name === undefined) return new Map();
  // `--window` is the session's window here, not the judge's.
  const model = namedModel(name, { io, options: reach });
  const judge = await createViewJudge({
    dialect,
    transcript,
    input: { ...input, signal: io.signal },
    policies: strategies.map((strategy) => ({ name: strategy, compactor: compactorOf(strategy) })),
    model,
    questions,
  });
  progress.clear();
  await confirmSpending(run, spendLines(judge.plan()));
  const { scores } = await judge.judge({
    signal: io.signal,
    onProgress: (done, total) => progress.update(`${model.id} judges`, done, total),
  });
  progress.clear();
  return new Map(scores.map(({ score }, place) => [strategies[place]!, score]));
}
