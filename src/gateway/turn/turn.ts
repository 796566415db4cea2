import type { IncomingHttpHeaders } from "node:http";
import type { Json } from "../../apis/shared/fields.ts";
import type { Report } from "../../core/types.ts";
import type { CompactorChoice } from "../compaction/compactor-choice.ts";
import type { Compactors } from "../compaction/compactors.ts";
import type { ConversationParts } from "../conversation/conversation-parts.ts";
import type { Known } from "../conversation/known.ts";
import type { Client } from "../http/authenticate.ts";
import type { RunningRequest } from "../requests/running-request.ts";
import type { Upstream } from "../upstream/upstream.ts";
import type { Wire, WireRequest } from "../wires/wire.ts";

export type TurnParts = Pick<
  ConversationParts,
  "config" | "log" | "live" | "timeline" | "busy" | "announcer" | "isDraining" | "windows" | "memory" | "now"
>;

/** One turn of a conversation: a request and its answer, whoever asks. */
export interface Turn {
  readonly client: Client;
  /** The headers that the upstream gets. A key in them also pays for summaries. */
  readonly headers: IncomingHttpHeaders;
  readonly wire: Wire;
  /** How a view is written for an upstream that doesn't speak that API; left out where it does. */
  readonly translation?: Translation | undefined;
  readonly upstream: Upstream;
  /** The path of the request, with its query. */
  readonly path: string;
  /** The request with its whole transcript, as it came or was written. */
  readonly bytes: Buffer;
  /** The bytes of the request after they were unpacked. */
  readonly plain: Buffer;
  readonly body: Json;
  readonly asked: WireRequest;
  readonly compactors: Compactors;
  readonly choice: CompactorChoice;
  /** Messages that a person pinned. */
  readonly pins: readonly number[];
  readonly signal: AbortSignal;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  /** When the last byte of the request had come, by the monotonic clock (milliseconds). */
  readonly arrivedAt: number;
  /** What becomes of it is said here. */
  readonly told: RunningRequest;
  /** The conversation that it belongs to; undefined where nothing is recorded. */
  readonly recording: TurnRecording | undefined;
  /** Only looked at: the request is sent as it came, and what would have been done is reported. */
  readonly isObserved: boolean;
  /** The body was changed already, before any view was made. */
  readonly isRewritten?: boolean;
  /** A request on its way out, with the rounds that its client wasn't shown; undefined where there are none. */
  readonly withHidden?: ((body: Json) => Json) | undefined;
  /** Carries out what the provider's own compaction would: its flags aren't for the upstream. */
  readonly isEmulated?: boolean;
}

/** A view in the words of another API. */
export interface Translation {
  readonly wire: Wire;
  write(view: { readonly messages: readonly unknown[]; readonly system: unknown }): Json;
}

/** The API that the upstream is asked in. */
export function spokenWire({ wire, translation }: Pick<Turn, "wire" | "translation">): Wire {
  return translation?.wire ?? wire;
}

export interface TurnRecording {
  readonly known: Known;
  /** It is the first request of its conversation, as far as can be told without a look at it. */
  readonly isFirst: boolean;
  /** Was the request before this one served by this node? Then it knows what was sent. */
  readonly followsOurs: boolean;
  /** Was a request of it sent before this one? Then the provider may have the beginning of this one in its cache. */
  readonly hadRequest: boolean;
  /** Pages are told at once what begins in the conversation, and a server that ends waits for it. */
  readonly isWatched: boolean;
  /** The request leaves for the upstream. */
  begin(): void;
  /** The conversation that the request's messages are in, once they are; undefined if they can't be stored. */
  stored(): Promise<string | undefined>;
}

/** What precis did to a request. `untouched`: it couldn't or shouldn't be looked into. */
export type Action = "pass" | "view" | "compacted" | "off" | "observed" | "untouched";

/** A request as it leaves for the upstream. */
export interface Outgoing {
  readonly action: Action;
  readonly body: Buffer;
  /** The body isn't the client's own any more, so its encoding isn't either. */
  readonly isOurs: boolean;
  readonly report: Report | undefined;
  /** The body as JSON, where it isn't the client's own. */
  readonly json?: Json;
}
