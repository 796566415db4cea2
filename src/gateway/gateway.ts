import type { GatewayConfig } from "../config/gateway-schema.ts";
import type { ServerStore } from "../stores/server-store.ts";
import type { Busy } from "./telemetry/busy.ts";
import type { PastStates } from "./conversation/look-back.ts";
import type { Standings } from "./conversation/fates.ts";
import type { Transcripts } from "./conversation/transcripts.ts";
import type { Authenticate } from "./http/authenticate.ts";
import type { Client } from "./http/client.ts";
import type { Compactors } from "./compaction/compactors.ts";
import type { WatchedRecords } from "./compaction/watch-records.ts";
import type { Windows } from "./compaction/windows.ts";
import type { KnownBodies } from "./http/known-bodies.ts";
import type { Announcer } from "./conversation/announcer.ts";
import type { Live } from "./telemetry/live.ts";
import type { Responses } from "./conversation/previous-response.ts";
import type { Deletions } from "./conversation/deletions.ts";
import type { Log, LogHealth } from "./telemetry/log.ts";
import type { Metrics } from "./telemetry/metrics.ts";
import type { Timeline } from "./telemetry/timeline.ts";
import type { TotalsKeeper } from "./telemetry/totals.ts";
import type { KnownConversations } from "./conversation/known-conversations.ts";
import type { Recorder } from "./conversation/recorder.ts";
import type { SentRequests } from "./conversation/sent-requests.ts";
import type { Spill } from "./conversation/spill.ts";
import type { Upstream } from "./upstream/upstream.ts";
import type { Counted } from "./ops/worker-words.ts";

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
