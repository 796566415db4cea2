import { BudgetImpossibleError } from "../../src/core/errors.ts";
import type { CompactorOptions, FitInput, FitResult, StrategyName } from "../../src/core/types.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { isKept } from "../../src/testing/check-view.ts";
import { checkImpossible, checkView, deepFreeze } from "../../src/testing/index.ts";
import { counterOf, plainTokens } from "./count.ts";
import { dialectOf } from "./dialects.ts";

/** One call of the engine that is to be judged. */
export interface Case {
  readonly dialect: string;
  readonly messages: readonly object[];
  readonly system?: unknown;
  readonly budget: number;
  readonly strategy?: StrategyName;
  readonly mode?: "fit" | "compact";
  readonly options?: Partial<CompactorOptions<object>>;
  readonly input?: FitInput<object>;
}

export interface Verdict {
  readonly breaches: readonly string[];
  /** Undefined when the budget was impossible, rightly or not. */
  readonly result: FitResult<object> | undefined;
}

/** Indexes of messages with precis's marker. */
export function markedIndexes(messages: readonly object[]): number[] {
  return messages.flatMap((message, index) => {
    const marker = (message as { precis?: { pin?: boolean; knowledge?: boolean } }).precis;
    return marker?.pin === true || marker?.knowledge === true ? [index] : [];
  });
}

const NOW = 1_700_000_000_000;

/** Calls the engine on frozen input and judges what comes back from the provider's side. */
export async function judgeFit(test: Case, count = counterOf(dialectOf(test.dialect))): Promise<Verdict> {
  const dialect = dialectOf(test.dialect);
  const { messages, system, budget, strategy = "summarize-oldest" } = test;
  deepFreeze(messages);
  deepFreeze(system);
  const snapshot = JSON.stringify(messages);
  const compactor = createCompactor<object>({ dialect, budget, strategy, ...test.options });
  const input = { now: NOW, ...(system !== undefined && { system }), ...test.input };
  const claim = {
    dialect: test.dialect,
    transcript: messages,
    system,
    budget,
    count,
    pinned: markedIndexes(messages),
  };
  try {
    const result = await (test.mode === "compact"
      ? compactor.compact(messages, input)
      : compactor.fit(messages, input));
    const breaches = checkView({ ...claim, snapshot, result, plain: plainTokens });
    if (strategy === "none" && result.messages.some((message, at) => !isKept(messages[at], message)))
      breaches.push("strategy: `none` changed something");
    return { breaches, result };
  } catch (error) {
    if (!(error instanceof BudgetImpossibleError))
      return {
        breaches: [`threw ${error instanceof Error ? (error.stack ?? error.message) : error}`],
        result: undefined,
      };
    // `none` has no other answer to a transcript over budget.
    const breaches = strategy === "none" ? [] : checkImpossible(claim);
    if (JSON.stringify(messages) !== snapshot) breaches.push("purity: the transcript was changed");
    return { breaches, result: undefined };
  } finally {
    await compactor.close();
  }
}
