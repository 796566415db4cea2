import type { GatewayConfig } from "../../config/gateway-schema.ts";
import type { ServerStore } from "../../stores/server-store.ts";
import type { TimelineFact } from "../api.ts";
import { createCacheTimes } from "../compaction/cache-times.ts";
import type { Learned } from "../compaction/learned.ts";
import { redactSecrets } from "../compaction/redact-secrets.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import { keepRequests } from "./keep-requests.ts";
import { requestListeners } from "./listeners.ts";
import { type RequestStart, RunningRequest } from "./running-request.ts";

/** Where requests begin: each makes one record, and whoever wants to know hears of it. Read `running-request.ts` first. */
export interface Requests {
  begin(start: RequestStart): RunningRequest;
  /** Something that happened to a conversation outside of any request. `checkpoint`: what requests stand on from then on. */
  note(
    client: NonNullable<RequestStart["client"]>,
    conversation: string,
    fact: TimelineFact,
    checkpoint?: string,
  ): void;
  /** How long the provider of a model was seen to keep a prompt; undefined while too little is known. */
  cacheMs(upstream: string, model: string): number | undefined;
  /** Writes rows that wait. */
  flush(): Promise<void>;
}

export function createRequests(
  parts: Telemetry & {
    readonly store: Pick<ServerStore, "requests">;
    readonly config: Pick<GatewayConfig, "redact" | "store">;
    readonly learned: Learned;
  },
): Requests {
  const kept = keepRequests(parts.store.requests, parts.log, !parts.config.store);
  const cacheTimes = createCacheTimes(parts.learned);
  const context = {
    cacheTimes,
    listeners: [...requestListeners(parts), kept],
    now: parts.now,
    written: (text: string) => (parts.config.redact ? redactSecrets(text) : text),
  };
  const begin = (start: RequestStart): RunningRequest => new RunningRequest(start, context);
  return {
    begin,
    note(client, conversation, fact, checkpoint) {
      const noted = begin({ kind: "compaction", api: "page", path: fact.type, headers: {}, client });
      const asked = { model: "", transcript: [] };
      const recording = { known: { id: conversation }, hadRequest: false };
      noted.asks({ upstream: undefined, asked, recording }, undefined);
      noted.checkpoint = checkpoint;
      noted.happened({ type: "noted", fact });
      noted.end(200);
    },
    cacheMs: cacheTimes.of,
    flush: kept.flush,
  };
}
