import type { StrategyName } from "../core/types.ts";

/** A step that a strategy may take once a compaction is due; each is one file in `rungs/`. */
export type Step =
  | "reduce"
  | "summarize"
  | "summarize-all"
  | "summarize-rounds"
  | "drop-oldest"
  | "drop-middle"
  | "drop-all"
  | "hard-cut";

/** What a strategy is made of. */
export interface Strategy {
  /** What a person reads. */
  readonly label: string;
  readonly steps: readonly Step[];
}

/** The strategies. Rung 0 (nothing due) comes before all of them; a strategy without steps refuses what doesn't fit. */
export const strategies: Readonly<Record<StrategyName, Strategy>> = {
  none: { label: "Never shorten", steps: [] },
  "truncate-oldest": { label: "Truncate oldest", steps: ["drop-oldest", "hard-cut"] },
  "drop-middle": { label: "Keep start and end", steps: ["drop-middle", "hard-cut"] },
  "drop-all": { label: "Keep only the last question", steps: ["drop-all"] },
  "summarize-oldest": {
    label: "Summarise oldest",
    steps: ["reduce", "summarize", "drop-middle", "hard-cut"],
  },
  "summarize-and-drop": { label: "Summarise everything", steps: ["summarize-all", "drop-all"] },
  "tool-summaries": {
    label: "Summarise tool use",
    steps: ["reduce", "summarize-rounds", "drop-oldest", "hard-cut"],
  },
};
