import type { ConversationParts } from "../conversation/conversation-parts.ts";
import type { Requests } from "../requests/requests.ts";
import type { LogHealth } from "../telemetry/log.ts";

/** What a server is kept running and looked after with. */
export interface OpsParts extends ConversationParts {
  readonly requests: Pick<Requests, "note" | "cacheMs" | "flush">;
  readonly version: string;
  /** Names this process among all nodes. */
  readonly node: string;
  /** What all processes of this server counted, given what this one did; undefined where there is only this one. */
  readonly gather: ((own: object) => Promise<readonly object[]>) | undefined;
  /** Whether the log can be written; undefined for a log that isn't ours. */
  readonly logHealth: LogHealth | undefined;
  /** True from the moment of SIGTERM on: nobody should send anything more. What comes is served all the same. */
  isLeaving(): boolean;
}
