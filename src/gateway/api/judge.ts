import type { Policy } from "./replay.ts";

/** Questions that a judge writes where nobody says how many. */
export const JUDGE_QUESTIONS = 6;

/** Which views of a conversation are judged, and by which model. */
export interface JudgeInput {
  readonly conversation: string;
  readonly policies: readonly Policy[];
  /** Writes the questions, answers them from each view, and marks the answers without knowing whose they are. */
  readonly model: string;
  /** How many questions; default `JUDGE_QUESTIONS`. */
  readonly questions?: number;
}

/** Requests and tokens, and US dollars where prices are known. */
export interface JudgeCost {
  readonly requests: number;
  readonly tokens: number;
  readonly dollars?: number;
}

export interface JudgeAnswer {
  readonly questions: number;
  /** In the order of the policies. */
  readonly scores: readonly {
    readonly name: string;
    /** Share of the points that a reader of the view gets, 0 to 1. */
    readonly score: number;
    /** Share of answers that mislead. */
    readonly misleading: number;
  }[];
  readonly spent: JudgeCost;
}
