import type { ConversationParts } from "../conversation/conversation-parts.ts";
import type { Authenticate, Client } from "../http/authenticate.ts";
import type { LiveStream } from "./streams/live-stream.ts";

/** What requests of clients are served with. */
export interface V1Parts
  extends Omit<ConversationParts, "transcripts" | "fates" | "replayedStates" | "deletions"> {
  readonly authenticate: Authenticate;
  readonly limitRate: (client: Client) => void;
  /** Streams that are open in this process, by their id. */
  readonly streams: Map<string, LiveStream>;
}
