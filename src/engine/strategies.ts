import type { StrategyName } from "../core/types.ts";

/** A step that a strategy may take once a compaction is due; each is one file in `rungs/`. */
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
  none: {
    label: "Never shorten",
    help: "Sends everything; refuses what doesn't fit.",
    steps: [],
    lastResort: [],
  },
  "truncate-oldest": {
    label: "Truncate oldest",
    help: "Leaves out the oldest messages.",
    steps: ["drop-oldest"],
    lastResort: ["hard-cut"],
  },
  "drop-middle": {
    label: "Keep start and end",
    help: "Keeps the first question and the newest messages, leaves out what lies between.",
    steps: ["drop-middle"],
    lastResort: ["hard-cut"],
  },
  "drop-all": {
    label: "Keep only the last question",
    help: "Sends only the system prompt and the last question.",
    steps: ["drop-all"],
    lastResort: [],
  },
  "summarize-oldest": {
    label: "Summarise oldest",
    help: "Puts a summary in the place of older messages.",
    steps: ["reduce", "summarize"],
    lastResort: ["drop-middle", "hard-cut"],
  },
  "summarize-middle": {
    label: "Summarise the middle",
    help: "Keeps the first question and the newest messages, puts a summary in the place of what lies between.",
    steps: ["reduce", "summarize"],
    lastResort: ["drop-middle", "hard-cut"],
    keepsFirst: true,
  },
  "summarize-and-drop": {
    label: "Summarise everything",
    help: "Puts one summary in the place of everything.",
    steps: ["summarize-all"],
    lastResort: ["drop-all"],
  },
  "tool-summaries": {
    label: "Summarise tool use",
    help: "Summarises finished tool use only.",
    steps: ["reduce", "summarize-rounds"],
    lastResort: ["drop-oldest", "hard-cut"],
  },
};

/** Does the strategy show what a model writes? */
export function usesSummaries(strategy: StrategyName): boolean {
  return strategies[strategy].steps.some((step) => step.startsWith("summarize"));
}
