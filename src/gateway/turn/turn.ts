import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { Json } from "../../apis/shared/fields.ts";
import type { HostingRefusal, IsHosted, OwnTools } from "../../apis/shared/hosting.ts";
import type { Announcement } from "../../apis/shared/native.ts";
import type { HostedToolName } from "../../config/gateway-schema.ts";
import type { Report, ToolCallPart } from "../../core/types.ts";
import type { CompactorChoice, Compactors } from "../compaction/compactors.ts";
import type { RequestOptions } from "../compaction/request-options.ts";
import type { ConversationParts } from "../conversation/conversation-parts.ts";
import type { GoesOnFrom } from "../conversation/named-by-client.ts";
import type { Opening, Recording } from "../conversation/recording.ts";
import type { Client } from "../http/admit.ts";
import type { RunningRequest } from "../requests/running-request.ts";
import type { Upstream } from "../upstream/upstream.ts";
import { hostedName } from "../wires/gateway-tools.ts";
import type { Wire, WireRequest } from "../wires/index.ts";
import type { Deferral, KeptWhy } from "./defer-tools.ts";

/** A shorter request isn't too long for any model, whatever its window is said to be (bytes). */
export const FITS_ANY_WINDOW = 4_096;

/** What requests are served with, whichever door they come in by. */
export type TurnParts = Omit<ConversationParts, "transcripts" | "fates" | "replayedStates" | "deletions">;

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
  readonly record: RunningRequest;
  /** The conversation that it belongs to; undefined where nothing is recorded. */
  readonly recording: TurnRecording | undefined;
  /** Only looked at: the request is sent as it came, and what would have been done is reported. */
  readonly isObserved: boolean;
  /** The body was changed already, before any view was made. */
  readonly isRewritten?: boolean;
  /** A request on its way out, with the rounds that its client wasn't shown; undefined where there are none. */
  readonly withHidden?: ((body: Json) => Json) | undefined;
  /** The tools of precis's own that the model was offered, and what came of them. */
  readonly hosted?: HostedTurn;
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

/** What a turn needs of a recording; of a chat of the page, whose messages are stored before and after it. */
export interface TurnRecording
  extends Pick<
    Recording,
    "known" | "isFirst" | "isAskedAgain" | "followsOurs" | "hadRequest" | "begin" | "stored"
  > {
  /** Pages are told at once what begins in the conversation, and a server that ends waits for it. */
  readonly isWatched: boolean;
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

/** One request of a client on its way through the gateway. */
export interface Exchange extends Turn {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly options: RequestOptions;
  readonly recording: Recording | undefined;
  /** What a recording begins with; undefined where nothing is to be recorded. */
  readonly opening: Opening | undefined;
  /** Something was set for the conversation on the page, or it was compacted there. */
  readonly hasSettings: boolean;
  /** What the request goes on from, where it only names it. */
  readonly goesOnFrom?: GoesOnFrom | undefined;
  /** Forwarded as it is: the upstream has the provider's own compaction, or something that we don't have. */
  readonly isUntouched?: boolean;
  /** Why the model wasn't offered the tools that were asked for. */
  readonly toolsOff?: ToolsOff;
  /** Edits of the provider's API that precis carried out, to be told with the answer. */
  readonly appliedEdits?: readonly Json[];
  /** A compaction that the client asked the provider for and precis made, to stand first in the answer. */
  readonly announcement?: Announcement;
}

/** Why the model wasn't offered tools of precis's own, though they were asked for. */
export type ToolsOff =
  | HostingRefusal
  | KeptWhy
  | "name-taken"
  | "no-store"
  | "unsupported-api"
  | "not-seen"
  | "no-other-tool";

type OnAnswered = (call: ToolCallPart, result: string) => void;

/** One turn whose model may call tools of precis's own, while it is being answered. */
export class HostedTurn implements OwnTools {
  readonly tools: readonly HostedToolName[];
  readonly isHosted: IsHosted;
  readonly onAnswered: OnAnswered;
  /** All that the model said and was answered since whoever asks said something. */
  readonly real: unknown[] = [];
  /** Whoever asks isn't shown all of it. */
  hasHidden = false;
  /** What was sent last, and the turn as it was then: its view is one of more messages than whoever asked has sent. */
  sent: { readonly turn: Turn; readonly outgoing: Outgoing } | undefined;
  /** The client's functions that aren't declared until the model asks for them. */
  deferral: Deferral | undefined;
  /** Rounds that were answered, and calls in them. */
  rounds = 0;
  calls = 0;

  constructor(tools: readonly HostedToolName[], onAnswered: OnAnswered = () => {}) {
    this.tools = tools;
    this.onAnswered = onAnswered;
    const names = new Set<unknown>(tools.map(hostedName));
    this.isHosted = (name) => names.has(name);
  }

  get declared(): readonly unknown[] | undefined {
    return this.deferral?.declaredByClient;
  }
}
