import type { ConversationParts } from "../conversation/conversation-parts.ts";
import type { HiddenWord } from "../conversation/hidden-answers.ts";
import type { Authenticate, Client } from "../http/authenticate.ts";
import type { LimitStreams } from "../http/stream-limit.ts";
import type { Requests } from "../requests/requests.ts";
import type { LiveStream } from "./streams/live-stream.ts";

/** What requests of clients are served with. */
export interface V1Parts
  extends Omit<ConversationParts, "transcripts" | "fates" | "replayedStates" | "deletions"> {
  readonly requests: Pick<Requests, "begin">;
  readonly authenticate: Authenticate;
  readonly limitRate: (client: Client) => void;
  readonly limitStreams: LimitStreams;
  /** Tells other processes of this server of an answer that the store didn't take, where there are any. */
  readonly shareHidden: ((word: HiddenWord) => void) | undefined;
  /** Streams that are open in this process, by their id. */
  readonly streams: Map<string, LiveStream>;
}
