import type { Receipt } from "../../tokens/receipts.ts";
import type { TimelineEvent } from "./events.ts";

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
  /** The request; left out for the present, which wasn't sent. */
  readonly request?: string;
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
