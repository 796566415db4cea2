import type {
  DialectId,
  DropReason,
  Edit,
  EditReason,
  Outcome,
  PlannedCall,
  Reason,
  Report,
  Role,
  Run,
  RungName,
  RungReport,
} from "../../core/types.ts";
import type { KeepReason } from "../../core/words.ts";
import type { Receipt } from "../../tokens/receipts.ts";
import type { ApiPressure } from "./conversation.ts";
import type { RequestFact } from "./events.ts";
import type { Bodies } from "./schemas.ts";

/** One line of a view, with its tokens and why it is as it is. */
export type ViewEntry = { readonly role: Role; readonly tokens: number } & (
  | { readonly type: "keep"; readonly index: number; readonly why: KeepReason }
  | {
      readonly type: "edit";
      readonly index: number;
      readonly original: number;
      readonly reasons: readonly EditReason[];
      readonly edits: readonly Edit[];
    }
  /** Its tokens are what it adds to the view; 0 where its text is counted with the message that takes it. */
  | {
      readonly type: "insert";
      readonly text: string;
      readonly covers: readonly Run[];
      /** Tokens of the messages in its runs, one by one. */
      readonly originals: readonly number[];
    }
  | { readonly type: "drop"; readonly index: number; readonly reason: DropReason }
);

/** What the model was sent last or would be sent now, line by line. */
export interface ApiView extends Pick<Report, "outcome" | "budget" | "pressure" | "tokens" | "warnings"> {
  readonly conversation: string;
  readonly dialect: DialectId;
  readonly entries: readonly ViewEntry[];
  /** Tokens of a system prompt that stands apart from the messages; 0 for none. */
  readonly system: number;
}

/** The exact request that would be sent now. Keys are never in it. */
export interface ApiRequest {
  readonly upstream: string | undefined;
  readonly method: "POST";
  readonly path: string;
  /** The JSON body. */
  readonly body: unknown;
  readonly bytes: number;
  readonly tokens: number;
}

/** A request as it was sent, worked out again. */
export interface SentAgain {
  /** What was worked out is what was sent, byte for byte: their length and checksum agree. */
  readonly isExact: boolean;
  /** SHA-256 of the body that was sent, where it can be worked out. */
  readonly sha256?: string;
  /** The JSON body; left out where it can't be worked out. */
  readonly body?: unknown;
  /** Settings that are others by now. */
  readonly changed: readonly { readonly name: string; readonly was: unknown; readonly now: unknown }[];
  /** Why it isn't exact. */
  readonly why?: string;
}

/** Declarations that a request was sent without, and the tokens that were spared. */
export interface DeferredTools {
  readonly tools: number;
  readonly tokens: number;
}

/** One request with everything that is known of it. */
export interface RequestRecord extends RequestFact {
  /** The compaction that its view stood on. */
  readonly checkpoint: string | undefined;
  /** What else is kept of it: settings that mattered, what the gateway changed, places of quotations and cache markers. */
  readonly details: unknown;
  readonly sent: SentAgain;
  /** The messages that were answered, in the wire format; the newest answer where there are several. Of a summary, its text. */
  readonly answer: readonly unknown[];
  /** Why there is no answer to show. */
  readonly noAnswer?: string;
  /** What the compaction that it stood on saved and cost so far, all requests of it together. */
  readonly receipt?: Receipt;
  /** Declarations of tools that weren't sent. */
  readonly deferred?: DeferredTools;
  /** What would save more than precis can, seen from here, in sentences. */
  readonly advice: readonly string[];
  /** Places of its last message in the conversation, from 0; undefined where it isn't stored. */
  readonly last: number | undefined;
}

/** Another window, profile or strategy, tried out. */
export type WhatIf = Bodies["whatIf"];

/** What would happen. Nothing is sent, stored or changed. */
export interface WhatIfAnswer extends ApiView {
  readonly due: Reason | undefined;
  readonly rungs: readonly RungReport[];
  readonly calls: readonly PlannedCall[];
  /** With `force`: it was just compacted by hand and nothing was said since, so the view would stay as it is. */
  readonly isJustCompacted?: true;
}

/** Compact now. */
export type CompactNow = Bodies["compact"];

/** A text about a conversation, as Markdown. */
export interface WrittenText {
  readonly text: string;
  readonly tokens: number;
  /** The model that wrote it; undefined for code. */
  readonly model: string | undefined;
  /** A model was asked and didn't bring it: why. */
  readonly failed?: string;
}

/** A summary that a model was asked for and didn't bring. */
export interface FailedSummary {
  /** Why, and what to do about it. */
  readonly message: string;
  /** The rung that took over; undefined if the view stayed as it was. */
  readonly fallback: RungName | undefined;
}

/** What a compaction, an undo or a rebuild did. */
export interface CompactAnswer {
  readonly outcome: Outcome | "undone" | "cancelled" | "cleared" | "restored" | "edited";
  readonly report: Report | undefined;
  /** Nothing was done: it was just compacted by hand, and nothing was said since. */
  readonly isJustCompacted?: true;
  /** A model was asked for a summary and didn't bring one: why, and what was done instead. Nothing is lost. */
  readonly failed?: FailedSummary;
  readonly view: ApiView;
  readonly pressure: ApiPressure;
}
