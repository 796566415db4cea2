import type { IncomingMessage, ServerResponse } from "node:http";
import type { Report } from "../../core/types.ts";
import type { Client } from "../http/client.ts";
import type { RequestOptions } from "../compaction/request-options.ts";
import type { Announcement } from "../wires/announce-compaction.ts";
import type { StandsOn } from "../conversation/previous-response.ts";
import type { Recording } from "../conversation/recording.ts";
import type { Opening } from "../conversation/spill.ts";
import type { Upstream } from "../upstream/upstream.ts";
import type { Json, Wire, WireRequest } from "../wires/wire.ts";
import type { Chat } from "../conversation/chat-of.ts";

/** What precis did to a request. `untouched`: it couldn't or shouldn't be looked into. */
export type Action = "pass" | "view" | "compacted" | "off" | "observed" | "untouched";

/** One request on its way through the gateway. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly client: Client;
  readonly wire: Wire;
  readonly path: string;
  /** The body as it came, and as JSON. */
  readonly bytes: Buffer;
  /** The same without its compression. */
  readonly plain: Buffer;
  readonly body: Json;
  readonly asked: WireRequest;
  readonly options: RequestOptions;
  readonly upstream: Upstream;
  readonly signal: AbortSignal;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  /** When the last byte of the request had come, by the monotonic clock (milliseconds). */
  readonly arrivedAt: number;
  readonly recording: Recording | undefined;
  /** What a recording begins with; undefined where nothing is to be recorded. */
  readonly opening: Opening | undefined;
  /** What was set for the conversation on the page. */
  readonly chat: Chat | undefined;
  /** The body was changed already, before any view was made. */
  readonly isRewritten?: boolean;
  /** What the request goes on from, where it only names it. */
  readonly standsOn?: StandsOn | undefined;
  /** Carries out what the provider's own compaction would: its beta flags aren't for the upstream. */
  readonly isEmulated?: boolean;
  /** Forwarded as it is: the upstream has the provider's own compaction, or something that we don't have. */
  readonly isUntouched?: boolean;
  /** Anthropic's edits that precis carried out, to be told with the answer. */
  readonly appliedEdits?: readonly Json[];
  /** A compaction that the client asked the provider for and precis made, to stand first in the answer. */
  readonly announcement?: Announcement;
}

/** What is sent. */
export interface Outgoing {
  readonly action: Action;
  readonly body: Buffer;
  /** The body isn't the client's own any more, so its encoding isn't either. */
  readonly isOurs: boolean;
  readonly report: Report | undefined;
}
