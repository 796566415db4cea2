import type { Busy } from "./busy.ts";
import type { Live } from "./live.ts";
import type { Log } from "./log.ts";
import type { Metrics } from "./metrics.ts";
import type { Tracing } from "./open-telemetry.ts";

/** What tells people and machines what a server does, and when. */
export interface Telemetry {
  readonly log: Log;
  readonly metrics: Metrics;
  /** Undefined where `openTelemetry` isn't set. */
  readonly tracing: Tracing | undefined;
  readonly live: Live;
  /** What is under way in conversations. */
  readonly busy: Busy;
  now(): number;
}
