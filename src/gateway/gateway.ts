import type { GatewayConfig } from "../config/gateway-schema.ts";
import type { ServerStore } from "../stores/server-store.ts";
import type { Busy } from "./api-server/busy.ts";
import type { PastStates } from "./api-server/look-back.ts";
import type { Standings } from "./api-server/standing.ts";
import type { Transcripts } from "./api-server/transcripts.ts";
import type { Authenticate } from "./auth/authenticate.ts";
import type { Client } from "./auth/client.ts";
import type { Compactors } from "./compaction/compactors.ts";
import type { WatchedRecords } from "./compaction/watch-records.ts";
import type { Windows } from "./compaction/windows.ts";
import type { KnownBodies } from "./http/known-bodies.ts";
import type { Announcer } from "./live/announcer.ts";
import type { Live } from "./live/live.ts";
import type { Responses } from "./native/previous-response.ts";
import type { Deletions } from "./ops/deletions.ts";
import type { Log, LogHealth } from "./ops/log.ts";
import type { Metrics } from "./ops/metrics.ts";
import type { Timeline } from "./ops/timeline.ts";
import type { TotalsKeeper } from "./ops/totals.ts";
import type { KnownConversations } from "./record/known-conversations.ts";
import type { Recorder } from "./record/recorder.ts";
import type { SentRequests } from "./record/sent-requests.ts";
import type { Spill } from "./record/spill.ts";
import type { Upstream } from "./upstream/upstream.ts";
import type { Counted } from "./workers/word.ts";

/** Everything that the parts of a gateway share. Made once, in `create-gateway.ts`. */
export interface Gateway {
  readonly config: GatewayConfig;
  readonly version: string;
  /** Names this process among all nodes. */
  readonly node: string;
  readonly store: ServerStore;
  readonly upstreams: readonly Upstream[];
  readonly windows: Windows;
  readonly compactors: Compactors;
  /** With `observe`: what clients' requests are given to instead. */
  readonly observing: Compactors | undefined;
  /** The engine's records. Write them here, not to the store, so that nothing that was derived from them goes stale. */
  readonly records: WatchedRecords;
  /** Transcripts and where they stand, for pages. */
  readonly transcripts: Transcripts;
  readonly standings: Standings;
  readonly pastStates: PastStates;
  /** Undefined with `store: false`. */
  readonly recorder: Recorder | undefined;
  /** Where answers wait that the store didn't take; undefined with `store: false`. */
  readonly spill: Spill | undefined;
  readonly known: KnownConversations;
  readonly bodies: KnownBodies;
  readonly sent: SentRequests;
  readonly responses: Responses;
  readonly authenticate: Authenticate;
  readonly limitRate: (client: Client) => void;
  readonly live: Live;
  readonly announcer: Announcer;
  /** What is under way in conversations. */
  readonly busy: Busy;
  readonly timeline: Timeline;
  readonly totals: TotalsKeeper;
  readonly deletions: Deletions;
  readonly metrics: Metrics;
  /** What all processes of this server counted, this one included; undefined where there is only this one. */
  readonly gather: ((of: Counted) => Promise<readonly unknown[]>) | undefined;
  readonly log: Log;
  /** Whether the log can be written; undefined for a log that isn't ours. */
  readonly logHealth: LogHealth | undefined;
  /** True from the moment of SIGTERM on: nobody should send anything more. What comes is served all the same. */
  isLeaving(): boolean;
  /** True from the moment on when no new connections are taken. */
  isDraining(): boolean;
  /** Aborted at that moment. */
  readonly draining: AbortSignal;
  now(): number;
}
