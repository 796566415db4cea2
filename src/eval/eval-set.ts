import type { EvalCase } from "./types.ts";

/** How large a view may be: a share of what it is made from, or as large as the summary that was recorded there. */
export type BudgetSpec = { readonly type: "share"; readonly share: number } | { readonly type: "recorded" };

/** Cases of one kind from one source, and the budgets that make sense for them. */
export interface EvalSet {
  readonly id: string;
  readonly type: EvalCase["type"];
  readonly budgets: "shares" | "recorded";
  /** Sessions in it, before sampling. */
  readonly sessions: number;
  /** All cases, or those of every n-th session (of more than that in a small set). */
  cases(everyNth: number): Iterable<EvalCase>;
}

export function budgetLabel(budget: BudgetSpec): string {
  return budget.type === "recorded" ? "recorded" : `${Math.round(budget.share * 1000) / 10} %`;
}
