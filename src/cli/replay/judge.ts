import type { Dialect, Model, StrategyName, TokenCounter } from "../../core/types.ts";
import { type JudgeViewsInput, judgeViews, planViews } from "../../eval/judged/judge-views.ts";
import { exactCounter } from "../../tokens/index.ts";
import { confirmSpending } from "../confirm-spending.ts";
import type { Io } from "../io.ts";
import { namedModel } from "../model-flags.ts";
import type { Flag, ParsedFlags } from "../parse-flags.ts";
import { parseCount } from "../parse-tokens.ts";
import type { Progress } from "../progress.ts";
import { spendLines } from "../spend-text.ts";

const DEFAULT_QUESTIONS = 6;

/** Flags about a judge. */
export const JUDGE_FLAGS = {
  judge: {
    value: "M",
    help: "with --prices: a model (NAME, NAME@URL or mailbox:DIR) that asks and marks what readers of each last view know",
  },
  questions: { value: "N", help: `how many questions it writes (${DEFAULT_QUESTIONS} unless told)` },
  yes: { help: "don't ask before the judge is asked" },
} as const satisfies Record<string, Flag>;

/** What the last view of a strategy is. */
export interface LastView {
  readonly strategy: StrategyName;
  readonly messages: readonly unknown[];
}

/** Asks the judge, if one is named: the share of its questions that a reader of each view answers right. */
export async function judgedShares(options: {
  readonly flags: ParsedFlags;
  readonly io: Io;
  readonly progress: Progress;
  readonly dialect: Dialect<unknown>;
  readonly transcript: readonly unknown[];
  readonly views: () => Promise<readonly LastView[]>;
}): Promise<ReadonlyMap<StrategyName, number>> {
  const { flags, io, progress, dialect } = options;
  const name = flags.value("judge");
  if (name === undefined) return new Map();
  const model = judgeOf(name, flags, io);
  const counter: TokenCounter = await exactCounter("o200k_base");
  const views = await options.views();
  const input: JudgeViewsInput = {
    transcript: options.transcript.map((wire) => dialect.read(wire)),
    views: views.map(({ strategy, messages }) => ({
      name: strategy,
      messages: messages.map((wire) => dialect.read(wire)),
    })),
    model,
    questions: parseCount("questions", flags.value("questions") ?? String(DEFAULT_QUESTIONS)),
    counter,
  };
  progress.clear();
  await confirmSpending(flags, io, spendLines(planViews(input)));
  const { scores } = await judgeViews({
    ...input,
    signal: io.signal,
    onProgress: (done, total) => progress.update(`${model.id} judges`, done, total),
  });
  progress.clear();
  return new Map(scores.map(({ score }, place) => [views[place]!.strategy, score]));
}

/** `--window` is the session's window here, not the judge's. */
function judgeOf(name: string, flags: ParsedFlags, io: Io): Model {
  return namedModel(
    name,
    { ...flags, value: (flag) => (flag === "window" ? undefined : flags.value(flag)) },
    io,
  );
}
