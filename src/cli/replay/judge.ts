import type { Compactor, Dialect, FitInput, StrategyName } from "../../core/types.ts";
import { createViewJudge } from "../../eval/judged/judge-views.ts";
import { JUDGE_QUESTIONS } from "../../gateway/api.ts";
import { confirmSpending, spendLines } from "../confirm-spending.ts";
import type { Io } from "../io.ts";
import { namedModel } from "../model-flags.ts";
import type { Flag, ParsedFlags } from "../parse-flags.ts";
import { parseCount } from "../parse-tokens.ts";
import type { Progress } from "../progress.ts";

export const JUDGE_FLAGS = {
  judge: {
    value: "M",
    help: "with --prices: a model (NAME, NAME@URL or mailbox:DIR) that asks and marks what readers of each last view know",
  },
  questions: { value: "N", help: `how many questions it writes (default: ${JUDGE_QUESTIONS})` },
  yes: { help: "don't ask before the judge is asked" },
} as const satisfies Record<string, Flag>;

/** Asks the judge, if one is named: the share of its questions that a reader of each strategy's last view answers right. */
export async function judgedShares(options: {
  readonly flags: ParsedFlags;
  readonly io: Io;
  readonly progress: Progress;
  readonly dialect: Dialect<unknown>;
  readonly transcript: readonly unknown[];
  readonly input: FitInput<unknown>;
  readonly strategies: readonly StrategyName[];
  readonly compactorOf: (strategy: StrategyName) => Compactor<unknown>;
}): Promise<ReadonlyMap<StrategyName, number>> {
  const { flags, io, progress, dialect, transcript, strategies } = options;
  const name = flags.value("judge");
  if (name === undefined) return new Map();
  // `--window` is the session's window here, not the judge's.
  const model = namedModel(name, flags, io, {});
  const judge = await createViewJudge({
    dialect,
    transcript,
    input: { ...options.input, signal: io.signal },
    policies: strategies.map((strategy) => ({ name: strategy, compactor: options.compactorOf(strategy) })),
    model,
    questions: flags.parsed("questions", parseCount) ?? JUDGE_QUESTIONS,
  });
  progress.clear();
  await confirmSpending(flags, io, spendLines(judge.plan()));
  const { scores } = await judge.judge({
    signal: io.signal,
    onProgress: (done, total) => progress.update(`${model.id} judges`, done, total),
  });
  progress.clear();
  return new Map(scores.map(({ score }, place) => [strategies[place]!, score]));
}
