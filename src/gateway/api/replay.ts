import type { Played } from "../../stream/words.ts";
import type { Receipt } from "../../tokens/receipts.ts";
import type { TimelineEvent } from "./events.ts";
import type { Bodies } from "./schemas.ts";

/** Runs a transcript again, request by request, under each policy, as `precis replay` does. */
export type ReplayInput = Bodies["replay"];
/** One way of keeping a conversation inside its window. */
export type Policy = ReplayInput["policies"][number];

/** One request of a replay. */
export interface ReplayPoint {
  /** Messages of the transcript at that moment. */
  readonly messages: number;
  /** Tokens of all that was said, and of what is sent of it. Tools aren't counted, neither here nor in the budget. */
  readonly transcript: number;
  readonly view: number;
  readonly budget: number;
  readonly compacted: boolean;
  /** Tokens of the view that the provider's prompt cache would have had. */
  readonly cached?: number;
  /** US dollars for this request and its answer, where prices are known. */
  readonly cost?: number;
}

export interface ReplayRun {
  readonly policy: Policy;
  /** Requests that were sent. */
  readonly requests: number;
  readonly compactions: number;
  /** Further requests, for which no view could be made. */
  readonly impossible: number;
  /** A very long transcript: only every so many requests were replayed, and sums are estimates. */
  readonly every?: number;
  /** Sum over all requests, tools included. */
  readonly tokens: { readonly transcript: number; readonly view: number };
  readonly peak: { readonly transcript: number; readonly view: number };
  /** US dollars, answers included, without precis and with it; undefined without prices. */
  readonly cost: { readonly transcript: number; readonly view: number } | undefined;
  /** Names, paths, numbers, citations and rules that matter, and how many of them the last view still says. */
  readonly survival?: { readonly items: number; readonly kept: number };
  readonly points: readonly ReplayPoint[];
}

export interface ReplayAnswer {
  readonly title: string;
  readonly messages: number;
  readonly runs: readonly ReplayRun[];
  readonly warnings: readonly string[];
}

export type { StreamStrategyName, StreamTrace } from "../../stream/types.ts";

/** Runs a recorded stream again on a cache that only counts. Nothing is stored and no model is asked. */
export type StreamReplayInput = Bodies["replayStream"];

/** How full the cache was, and each time that it was managed. */
export interface StreamReplayAnswer extends Played {
  readonly title: string;
  /** Recordings in the file. */
  readonly recordings: number;
}

/** An event, and where in the transcript it happened. */
export type PlacedEvent = TimelineEvent & {
  /** Messages of the transcript at that moment. */
  readonly messages: number;
  /** Of a recall: messages of the transcript when it was first sent without the quotation. Left out while it stands in the view. */
  readonly until?: number;
};

/** What was sent with a request, by its record. The last point is the present, counted as it is now. */
export interface PastPoint {
  /** Messages of the transcript at that moment. */
  readonly messages: number;
  /** Tokens of all that was said, and of what was sent of it. */
  readonly transcript: number;
  readonly view: number;
  /** Both as they are counted now: what providers report changes how precis counts, and lines through all points need one count. */
  readonly now?: { readonly transcript: number; readonly view: number };
  /** The request; left out for the present, which wasn't sent. */
  readonly request?: string;
  /** A compaction beside requests: it sent nothing. */
  readonly unsent?: true;
}

/** What really happened to a conversation. */
export interface Past {
  /** One for each request, and one for the present; of a very long conversation fewer. */
  readonly points: readonly PastPoint[];
  /** Oldest first, those of the conversation that it was forked from included. */
  readonly events: readonly PlacedEvent[];
  /** What each compaction saved and cost so far. */
  readonly receipts: readonly Receipt[];
}
