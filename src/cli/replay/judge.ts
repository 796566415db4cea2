import type { Compactor, Dialect, FitInput, StrategyName } from "../../core/types.ts";
import { createViewJudge, JUDGE_QUESTIONS } from "../../eval/judged/judge-views.ts";
import { confirmSpending, spendLines } from "../confirm-spending.ts";
import { namedModel } from "../model.ts";
import type { RunOf } from "../run.ts";

/** Asks the judge, if one is named: the share of its questions that a reader of each strategy's last view answers right. */
export async function judgedShares(
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
