import type { STRATEGY_NAMES } from "../options.ts";
import type { Edit, InsertMessage } from "./dialect.ts";
import type { Budget, Usage } from "./tokens.ts";

/** A half-open run of message indexes: `from` ≤ i < `to`. */
export interface Run {
  readonly from: number;
  readonly to: number;
}

/** Why a message is neither shown nor spoken for. */
export type DropReason = "orphan" | "budget" | "strategy" | "empty" | "reasoning";

/** One line of a view, and of its receipt. */
export type Entry =
  | { readonly type: "keep"; readonly index: number }
  | { readonly type: "edit"; readonly index: number; readonly edits: readonly Edit[] }
  | {
      readonly type: "insert";
      readonly message: InsertMessage;
      readonly covers: readonly Run[];
      /** Its text went into the system prompt, so it isn't a message of its own in the wire output. */
      readonly merged?: true;
    }
  | { readonly type: "drop"; readonly index: number; readonly reason: DropReason };

/** The names of the strategies, see the table in `docs/reference/strategies.md`. */
export type StrategyName = (typeof STRATEGY_NAMES)[number];

/** The steps of the ladder, cheap and lossless first. */
export type RungName =
  | "nothing-due"
  | "reductions"
  | "known-summaries"
  | "continuation"
  | "full"
  | "simple"
  | "extractive"
  | "drop"
  | "hard-cut";

/** One rung that was tried, and how it ended. */
export interface RungReport {
  readonly rung: RungName;
  readonly result: "used" | "not-enough" | "breached" | "nothing-to-gain";
  readonly tokens?: number;
  readonly note?: string;
}

/** Why a compaction was due. */
export type Reason =
  | "pressure"
  | "budget"
  | "cold-cache"
  | "pause"
  | "messages"
  | "turns"
  | "rejected"
  | "forced"
  | "invalid-checkpoint";

/** A call of a model that a plan asks for (none without a summariser). */
export interface PlannedCall {
  readonly name: string;
  readonly rung: RungName;
  readonly covers: readonly Run[];
  readonly cap: number;
}

/** A call of a model that was made, and how it ended. */
export interface ModelCall extends PlannedCall {
  readonly model: string;
  readonly result: "accepted" | "rejected" | "failed";
  /** Why it was rejected or failed. */
  readonly note?: string;
  readonly usage?: Usage;
  /** US dollars, where the model's prices are known. */
  readonly cost: number;
  /** Tokens that a model which reasons may take for that, on top of `cap`. */
  readonly reasoning?: number;
}

/** The entries and named model calls that turn a transcript into a view. Plain data, no effects. */
export interface Plan {
  readonly due: Reason | undefined;
  readonly entries: readonly Entry[];
  readonly calls: readonly PlannedCall[];
  readonly rungs: readonly RungReport[];
  readonly budget: Budget;
  readonly pressure: { readonly before: number; readonly after: number };
  readonly tokens: { readonly transcript: number; readonly before: number; readonly after: number };
  readonly warnings: readonly Warning[];
}

/** What a warning is about. */
export type WarningCode =
  | "all-pinned"
  | "head-lost"
  | "head-restored"
  | "heavy-head"
  | "many-summary-requests"
  | "no-room-for-summaries"
  | "no-summary-fits"
  | "orphan-call"
  | "orphan-result"
  | "planted-instruction"
  | "range-refused"
  | "range-widened"
  | "state-damaged"
  | "state-foreign"
  | "state-unsigned"
  | "state-unusable"
  | "store-failed"
  | "summaries-too-dear"
  | "summaries-unused"
  | "summarizer-busy"
  | "summarizer-resting"
  | "summary-cap-lowered"
  | "system-changes"
  | "tail-shortened"
  | "thinking-off"
  | "unknown-model";

/** Something that went differently from what the host may expect; the conversation goes on. */
export interface Warning {
  readonly code: WarningCode;
  readonly message: string;
}
