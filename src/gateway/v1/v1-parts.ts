import type { ConversationParts } from "../conversation/conversation-parts.ts";
import type { Authenticate, Client } from "../http/authenticate.ts";
import type { LimitStreams } from "../http/stream-limit.ts";
import type { LiveStream } from "./streams/live-stream.ts";

/** What requests of clients are served with. */
export interface V1Parts
  extends Omit<ConversationParts, "transcripts" | "fates" | "replayedStates" | "deletions"> {
  readonly authenticate: Authenticate;
  readonly limitRate: (client: Client) => void;
  readonly limitStreams: LimitStreams;
  /** Streams that are open in this process, by their id. */
  readonly streams: Map<string, LiveStream>;
}
