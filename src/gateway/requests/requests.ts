import type { GatewayConfig } from "../../config/gateway-schema.ts";
import type { ServerStore } from "../../stores/server-store.ts";
import { redactSecrets } from "../compaction/redact-secrets.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import { keepRequests } from "./keep-requests.ts";
import { requestListeners } from "./listeners.ts";
import { type RequestStart, RunningRequest } from "./running-request.ts";

/** Where requests begin: each makes one record, and whoever wants to know hears of it. Read `running-request.ts` first. */
export interface Requests {
  begin(start: RequestStart): RunningRequest;
  /** Writes rows that wait. */
  flush(): Promise<void>;
}

export function createRequests(
  parts: Telemetry & {
    readonly store: Pick<ServerStore, "requests">;
    readonly config: Pick<GatewayConfig, "redact">;
  },
): Requests {
  const kept = keepRequests(parts.store.requests, parts.log);
  const context = {
    listeners: [...requestListeners(parts), kept],
    now: parts.now,
    written: (text: string) => (parts.config.redact ? redactSecrets(text) : text),
  };
  return {
    begin: (start) => new RunningRequest(start, context),
    flush: kept.flush,
  };
}
