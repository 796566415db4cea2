import type { StrategyName } from "../../core/types.ts";
import { STRATEGY_WORDS } from "../../core/words.ts";

/** A step that a strategy may take once a compaction is due; each stands in `ladder/`. */
export type Step =
  | "reduce"
  | "summarize"
  | "summarize-all"
  | "summarize-rounds"
  | "summarize-range"
  | "drop-oldest"
  | "drop-middle"
  | "drop-all"
  | "hard-cut";

/** What a strategy is made of. */
export interface Strategy {
  /** What a person reads: its name, and what it does. */
  readonly label: string;
  readonly help: string;
  /** Aim at the landing. A strategy without steps refuses what doesn't fit. */
  readonly steps: readonly Step[];
  /** Aim only at the budget, and are taken only when the view is above it: so a plan always ends in a view. */
  readonly lastResort: readonly Step[];
  /** The first user message is shown in every view, as long as it isn't large. */
  readonly keepsFirst?: true;
}

/** The strategies. Rung 0 (nothing due) comes before all of them. */
export const strategies: Readonly<Record<StrategyName, Strategy>> = {
  none: { ...STRATEGY_WORDS.none, steps: [], lastResort: [] },
  "truncate-oldest": {
    ...STRATEGY_WORDS["truncate-oldest"],
    steps: ["drop-oldest"],
    lastResort: ["hard-cut"],
  },
  "drop-middle": { ...STRATEGY_WORDS["drop-middle"], steps: ["drop-middle"], lastResort: ["hard-cut"] },
  "drop-all": { ...STRATEGY_WORDS["drop-all"], steps: ["drop-all"], lastResort: [] },
  "summarize-oldest": {
    ...STRATEGY_WORDS["summarize-oldest"],
    steps: ["reduce", "summarize"],
    lastResort: ["drop-middle", "hard-cut"],
  },
  "summarize-middle": {
    ...STRATEGY_WORDS["summarize-middle"],
    steps: ["reduce", "summarize"],
    lastResort: ["drop-middle", "hard-cut"],
    keepsFirst: true,
  },
  "summarize-and-drop": {
    ...STRATEGY_WORDS["summarize-and-drop"],
    steps: ["summarize-all"],
    lastResort: ["drop-all"],
  },
  "tool-summaries": {
    ...STRATEGY_WORDS["tool-summaries"],
    steps: ["reduce", "summarize-rounds"],
    lastResort: ["drop-oldest", "hard-cut"],
  },
};

/** Does the strategy show what a model writes? */
export function usesSummaries(strategy: StrategyName): boolean {
  return strategies[strategy].steps.some((step) => step.startsWith("summarize"));
}
