import type { STRATEGY_NAMES } from "../options.ts";
import type { Budget, DialectId, Edit, InsertMessage, Model, StopReason, Usage } from "./dialect.ts";
import type { FitInput } from "./input.ts";
import type { State } from "./state.ts";

/** What `fit` did. */
export type Outcome = "pass" | "view" | "compacted" | "nothing-to-gain";

/** The receipt of one `fit` or `compact`. */
export interface Report {
  /** Names the conversation, forks included: the hash of its first message. */
  readonly conversation: string;
  readonly outcome: Outcome;
  readonly reason: Reason | undefined;
  readonly strategy: StrategyName;
  readonly profile: string | undefined;
  readonly dialect: DialectId;
  readonly budget: Budget;
  readonly pressure: { readonly before: number; readonly after: number };
  /**
   * `atMost`: these, the pressure and `budget.tools` are upper bounds. The request is so short that nothing can be due, and the
   * tokenizer wasn't loaded for it.
   */
  readonly tokens: {
    readonly transcript: number;
    readonly before: number;
    readonly after: number;
    readonly atMost?: true;
  };
  /**
   * Tokens that the answer may take beside this view: the window without view, tools and safety, at most `maxAnswer`.
   * Undefined without a window.
   */
  readonly answer: number | undefined;
  readonly counts: {
    readonly kept: number;
    readonly edited: number;
    readonly covered: number;
    readonly dropped: number;
    readonly inserted: number;
  };
  /** Every transcript message, exactly once. */
  readonly entries: readonly Entry[];
  /** What was quoted for the newest user message in this call, best first. What earlier calls quoted stands in the view still. */
  readonly recalled: readonly RecalledPassage[];
  /** All that this view quotes for user messages, oldest first. */
  readonly quoted: readonly Quotation[];
  readonly rungs: readonly RungReport[];
  readonly modelCalls: readonly ModelCall[];
  /** The model that may be asked for summaries, and whose key pays for it where that is known; left out where code writes all of them. */
  readonly summarizer?: Pick<Model, "id" | "key">;
  /** US dollars spent on summaries. */
  readonly cost: number;
  readonly cacheHits: { readonly checkpoint: boolean; readonly summaries: number };
  readonly warnings: readonly Warning[];
  /** True when the view is no longer an extension of the one before it: drop KV and prompt caches. */
  readonly prefixChanged: boolean;
  /** Why it isn't one. */
  readonly prefixReason: PrefixReason | undefined;
  /** Id of the checkpoint that the view stands on. */
  readonly checkpoint: string | undefined;
  /** Of a compaction that shows what a model wrote: whether that said what the messages behind it went on to use. */
  readonly summaryCheck?: SummaryCheck;
  /**
   * Calls of the newest answer that ask once more for what a compaction hid, within ten rounds: identical ones, or for the same file.
   * Left out where there are none.
   */
  readonly repeated?: { readonly checkpoint: string; readonly calls: readonly string[] };
}

/**
 * A summary is often ready some rounds after it was asked for, so it can be seen what those rounds used of what it speaks for: the
 * paths and ids that they said or called with, and the names that the user said.
 */
export interface SummaryCheck {
  /** The model that wrote the newest record, and its prompt. */
  readonly model: string;
  readonly prompt: string;
  /** How many names, paths and ids they used. */
  readonly used: number;
  /** Those of them that no record says. */
  readonly missed: readonly string[];
  /** Those of them that nothing else of the view says either, and code shows: a line of the hidden messages for each, or the bare name. */
  readonly added: readonly string[];
}

/** What a view quotes for one user message. */
export interface Quotation {
  /** Place of that user message in the transcript. It stands in views from then on. */
  readonly before: number;
  /** Places of the messages that are quoted, each once. */
  readonly messages: readonly number[];
  /** What it adds to the view. */
  readonly tokens: number;
}

/** A passage of a hidden message that came back, and why. */
export interface RecalledPassage {
  /** The message's place in the transcript. */
  readonly index: number;
  readonly text: string;
  /** Words of the user message that it was found by. */
  readonly words: readonly string[];
  readonly score: number;
}

/**
 * Why a view changed before its end: a compaction was applied; the transcript was edited or forked; a person took a
 * compaction back; a message that it hides must be shown (a pin); summaries were cleared; a larger budget needs no
 * compaction; the system prompt is another; other options were chosen; the compaction came back in a state that nobody
 * signed, so it is shown in the user's role; what was recalled for a user message is no longer known.
 */
export type PrefixReason =
  | "compaction"
  | "transcript"
  | "undo"
  | "pin"
  | "cleared"
  | "larger-budget"
  | "system"
  | "options"
  | "unproven"
  | "recall";

/** What `fit` returns. `messages` is a new array of the host's own format; unchanged messages are the same objects. */
export interface FitResult<M, S = unknown> {
  readonly messages: M[];
  /** The system prompt to send, where the format keeps it apart. Undefined if there is none. */
  readonly system: S | undefined;
  readonly state: State;
  readonly report: Report;
  /** Resolves to the newer state when a summary is in flight; otherwise at once, to `state`. */
  readonly background: Promise<State>;
}

/** What `pressure` returns: the one number of trigger, meter and API, and what fills it. */
export interface PressureReport {
  readonly pressure: number;
  readonly tokens: number;
  readonly budget: Budget;
  /** Pressure at which compaction will start. */
  readonly startsAt: number;
  readonly level: "green" | "yellow" | "red";
  readonly fill: Readonly<Record<"system" | "summary" | "user" | "assistant" | "tool" | "image", number>>;
  /** Id of the checkpoint that the current view stands on. */
  readonly checkpoint?: string;
  /** Tokens that `compact` would take of the summariser at most, second tries included; left out where it would ask no model. */
  readonly summary?: { readonly input: number; readonly output: number; readonly thinking: number };
}

/** What `observe` takes. */
export interface Observation<M> {
  /** The provider's numbers for the last request. */
  readonly usage?: Usage;
  /** The report of the view that was answered: says which conversation it was. */
  readonly report?: Pick<Report, "conversation">;
  /** precis's own count of that request: `report.tokens.after + report.budget.tools`. Nothing is learnt from one that was a bound. */
  readonly tokens?: number;
  /** The model that answered. Default: the compactor's. */
  readonly model?: string;
  /** Why the answer ended. One that was cut off (`length`) would have been longer. */
  readonly stop?: StopReason;
  /** The transcript with the reply or the tool result, to have its pressure checked. */
  readonly transcript?: readonly M[];
  /** What the next `fit` will be given. */
  readonly input?: FitInput<M>;
}

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
  | "images-left-out"
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
  | "summarizer-failed"
  | "summarizer-resting"
  | "summary-cap-lowered"
  | "system-changes"
  | "tail-shortened"
  | "thinking-off"
  | "unknown-model"
  | "unknown-part";

/** Something that went differently from what the host may expect; the conversation goes on. */
export interface Warning {
  readonly code: WarningCode;
  readonly message: string;
}
