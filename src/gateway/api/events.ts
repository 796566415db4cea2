import type { Outcome, Reason, Report, RungName, Usage, WarningCode } from "../../core/types.ts";
import type { RequestFields, RequestFilter, RequestSums, RequestsQuery } from "../../stores/server-store.ts";
import type { CacheLoss } from "../../tokens/billing.ts";
import type { ApiConversation, ApiSummary } from "./conversation.ts";
import type { Time } from "./route.ts";

/** One compaction (or failure, undo, edit, recall) on the timeline of a conversation. */
export type TimelineEvent = {
  /** Events are in the order of their ids. */
  readonly id: string;
  readonly at: Time;
  readonly conversation: string;
  /** The request that it happened in or came of. */
  readonly request?: string;
} & TimelineFact;

export type TimelineFact =
  | (Pick<Report, "reason" | "tokens" | "pressure" | "counts" | "cost" | "checkpoint" | "summaryCheck"> & {
      readonly type: "compacted";
      readonly rung: RungName | undefined;
      readonly strategy: string;
      readonly ms: number;
      /** Why the summary that a model was asked for isn't part of it. */
      readonly failed?: string;
      /** What it did otherwise than one may expect. */
      readonly warnings?: readonly WarningCode[];
      /** Whose key paid for its summaries, where a model may be asked for them. */
      readonly key?: "client" | "server";
      /** It was made for the same messages in another conversation, and nothing had to be done here. */
      readonly isFound?: true;
    })
  | { readonly type: "summary"; readonly summary: ApiSummary }
  | { readonly type: "failed"; readonly message: string; readonly fallback: RungName | undefined }
  | { readonly type: "rejected"; readonly tokens: number | undefined; readonly limit: number | undefined }
  | { readonly type: "undone"; readonly checkpoint: string | undefined }
  | { readonly type: "cleared" }
  /** Cleared summaries came back, and with them the view that requests stood on. */
  | { readonly type: "restored"; readonly view?: { readonly checkpoint: string; readonly tokens: number } }
  | {
      readonly type: "summary-edited";
      readonly key: string;
      /** What requests stood on from then on: its compaction, if there was one, and the tokens of its view. */
      readonly view?: { readonly checkpoint?: string; readonly tokens: number };
    }
  /** What a user message asked for and the view hides was quoted before it. */
  | {
      readonly type: "recalled";
      /** Place of the user message that it was quoted for. */
      readonly before: number;
      /** Places of the quoted messages. */
      readonly from: readonly number[];
      /** Words of the user message that they were found by. */
      readonly words: readonly string[];
    }
  | { readonly type: "loop"; readonly tool: string; readonly rounds: number }
  /** The agent asked again for something that this compaction had hidden. */
  | { readonly type: "repeated"; readonly checkpoint: string; readonly calls: readonly string[] };

/**
 * The live stream at `/api/events`. Each has the id of the server-sent event, so that a page that lost its connection
 * goes on where it was (`Last-Event-ID`). `hello` comes first; with `missed`, read everything anew.
 */
export type LiveEvent =
  | { readonly type: "hello"; readonly missed: boolean }
  | {
      readonly type: "conversation";
      readonly change: "created" | "changed";
      readonly conversation: ApiConversation;
    }
  | { readonly type: "conversation-deleted"; readonly id: string }
  | { readonly type: "compacting"; readonly conversation: string; readonly reason: Reason }
  | { readonly type: "timeline"; readonly event: TimelineEvent }
  | {
      readonly type: "pressure";
      readonly conversation: string;
      readonly pressure: number;
      readonly tokens: number;
      readonly budget: number;
    }
  /** A request went through `/v1`. */
  | ({ readonly type: "request" } & RequestFact)
  /** An answer as far as it is written, a few times a second: for pages that didn't ask for it. */
  | { readonly type: "answer"; readonly conversation: string; readonly text: string }
  | { readonly type: "settings" };

/** What a row of requests has for sums and records alone, or says here in other words. */
export const OWN_WORDS = [
  ...(["kind", "outcome", "reason", "cacheLost", "tokensBefore", "tokensAfter"] as const),
  ...(["input", "output", "cacheRead", "cacheWrite"] as const),
  ...(["api", "compactions", "unpriced", "rejected", "loops", "repeated"] as const),
] as const satisfies readonly (keyof RequestFields)[];

/** One request to a model, as operators see it: its row in the store, some of it in other words. */
export interface RequestFact extends Omit<RequestFields, (typeof OWN_WORDS)[number]> {
  /**
   * Who asked: a client through `/v1` (if it is left out), a chat of the page, precis itself for a summary, or a compaction, which
   * asks no model by itself: its `path` tells by what it came, "compaction" by a person, "compaction-when-due" by a file that was
   * opened, "summary" or "failed" by a summary that was written beside requests.
   */
  readonly from?: RequestFields["kind"];
  readonly conversation: string | undefined;
  readonly model: string | undefined;
  /** `refused`: system prompt and last user message alone were too long, so that precis sent nothing. */
  readonly outcome: Outcome | "off" | "observed" | "untouched" | "refused";
  /** Of the transcript and of what was sent. */
  readonly tokens: { readonly before: number; readonly after: number } | undefined;
  /** Why it failed. */
  readonly error?: string;
  /** Tokens as the provider counted them, of all rounds of built-in tools. */
  readonly usage?: Usage;
  /** Why it was compacted, if it was; what a summary was written for. */
  readonly reason?: Reason;
  /** Why the provider's prompt cache couldn't be used to its end, if what was sent before was changed. */
  readonly cacheLost?: CacheLoss;
}

/** A request in a list. */
export interface ListedRequest extends RequestFact {
  /** What its conversation is called: its title, or the session that it was named as. */
  readonly title?: string;
}

/** What a list of requests can be narrowed to. */
export const REQUEST_OUTCOMES = [
  "failed",
  "compacted",
  "view",
  "pass",
  "nothing-to-gain",
  "observed",
  "off",
  "untouched",
  "refused",
] as const satisfies readonly NonNullable<RequestQuery["outcome"]>[];
export const REQUEST_SORTS = [
  "time",
  "tokens",
  "spend",
  "ms",
] as const satisfies readonly RequestQuery["sort"][];
export const REQUEST_KINDS = ["client", "page", "summary", "compaction"] as const;

/**
 * Which requests to list. Of those that are sorted by something else than their time, it is the tokens that were sent, the US dollars
 * or the milliseconds; what isn't known is 0.
 */
export interface RequestQuery
  extends Pick<RequestFilter, "search" | "model" | "client" | "conversation">,
    Pick<RequestsQuery, "sort" | "order"> {
  readonly outcome?: RequestFact["outcome"] | "failed";
  readonly from?: NonNullable<RequestFact["from"]> | "all";
  /** When they began: from this time on, and before that one. */
  readonly since?: Time;
  readonly until?: Time;
  /** The id of the last one of the page before. */
  readonly before?: string;
  readonly limit?: number;
}

/** Which requests to add up. */
export type TotalsQuery = Omit<RequestQuery, "before" | "limit" | "sort" | "order"> & {
  /** With the sums of each stretch of so many milliseconds, at most 1,000 of them; it needs `since`. */
  readonly every?: number;
  /** With the sums of each model or client; with `every`, in each stretch. */
  readonly by?: (typeof TOTALS_BY)[number];
};
export const TOTALS_BY = ["model", "client"] as const;

/** What requests of a stretch of time, a model or a client come to. */
export interface TotalsPart
  extends Pick<
    Totals,
    | "requests"
    | "errors"
    | "compactions"
    | "tokensSaved"
    | "repeated"
    | "input"
    | "cacheRead"
    | "output"
    | "spend"
    | "cost"
    | "net"
    | "ms"
    | "p50"
    | "p95"
  > {
  /** When it begins; left out without `every`. */
  readonly at?: Time;
  /** The model or client; "" for one without a name, or without `by`. */
  readonly name: string;
}

/** What the gateway did, in all or in a range of time, and what its store holds. */
export interface Totals
  extends Pick<
    RequestSums,
    | "since"
    | "requests"
    | "errors"
    | "compactions"
    | "tokensBefore"
    | "tokensAfter"
    | "rejected"
    | "loops"
    | "repeated"
    | "input"
    | "cacheRead"
    | "output"
    | "spend"
  > {
  /** Of messages and of tools' declarations. */
  readonly tokensSaved: number;
  /** US dollars for summaries. */
  readonly cost: number;
  /** Requests, and calls for summaries, whose price isn't known: `spend` and `cost` don't hold them. */
  readonly unpriced: number;
  /** US dollars that requests and their summaries cost less than requests without precis, negative if more. */
  readonly net: number;
  /** Milliseconds that a request took on average, and within which half of them and 95 % ended, to some percent; 0 without requests. */
  readonly ms: number;
  readonly p50: number;
  readonly p95: number;
  /** Requests that precis refused, by reason: `too-long` are in the list, others were refused before they were looked at. */
  readonly refused: Readonly<Record<string, number>>;
  /** Models and clients that requests were made for and by. */
  readonly models: readonly string[];
  readonly clients: readonly string[];
  readonly conversations: number;
  readonly messages: number;
  /** Size of the database; undefined where several tenants share it, or it isn't known. */
  readonly storeBytes: number | undefined;
  /** By time, model or client, where these were asked for; the oldest first. */
  readonly parts?: readonly TotalsPart[];
}
